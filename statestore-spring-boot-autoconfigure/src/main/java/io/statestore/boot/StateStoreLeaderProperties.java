package io.statestore.boot;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** Properties of the leader election. */
@ConfigurationProperties("statestore.leader")
public class StateStoreLeaderProperties {

	/**
	 * Whether this application takes part in the election of a leader.
	 */
	private boolean enabled;

	/**
	 * What is led, and the name of the lock that decides about it: the same for all
	 * instances, and another for every other application of the store. By default the
	 * value of spring.application.name with "-leader" behind it.
	 */
	private @Nullable String role;

	/**
	 * Lease of the lock of the leader, 100 ms to a day. That of all locks by default.
	 */
	private @Nullable Duration lease;

	public boolean isEnabled() {
		return this.enabled;
	}

	public void setEnabled(boolean enabled) {
		this.enabled = enabled;
	}

	public @Nullable String getRole() {
		return this.role;
	}

	public void setRole(@Nullable String role) {
		this.role = role;
	}

	public @Nullable Duration getLease() {
		return this.lease;
	}

	public void setLease(@Nullable Duration lease) {
		this.lease = lease;
	}

	String role(Environment environment) {
		if (StringUtils.hasText(this.role)) {
			return this.role;
		}
		String application = environment.getProperty("spring.application.name");
		if (this.role != null || !StringUtils.hasText(application)) {
			throw new InvalidConfigurationPropertyValueException("statestore.leader.role", this.role,
					"Set it to what is led, the same for all instances, or set spring.application.name.");
		}
		return application + "-leader";
	}

}
