package io.statestore.boot;

import java.time.Duration;

import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
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
	 * Role of the leader, and name of the DistributedLock that elects it. All instances
	 * of an application use the same role. Other applications that share the store use a
	 * different one. By default the value of spring.application.name.
	 */
	private @Nullable String role;

	/**
	 * Lease of the DistributedLock, 100 ms to a day. By default that of all locks,
	 * statestore.lock.lease.
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

	/** Checks what can be checked without an environment, the lock being lazy. */
	void validate() {
		if (this.role != null && !StringUtils.hasText(this.role)) {
			throw noRole();
		}
		if (this.lease != null) {
			try {
				LockOptions.DEFAULT.withLease(this.lease);
			}
			catch (IllegalArgumentException ex) {
				throw OptionFailures.namingTheProperty("statestore.leader.", ex);
			}
		}
	}

	FencedLock lock(StateStoreLockRegistry registry, Environment environment) {
		String role = role(environment);
		return (this.lease != null) ? registry.obtain(role, this.lease) : registry.obtain(role);
	}

	String role(Environment environment) {
		if (this.role != null) {
			return this.role;
		}
		String application = environment.getProperty("spring.application.name");
		if (!StringUtils.hasText(application)) {
			throw noRole();
		}
		return application;
	}

	private InvalidConfigurationPropertyValueException noRole() {
		return new InvalidConfigurationPropertyValueException("statestore.leader.role", this.role,
				"It names the DistributedLock of the application, which also elects the leader. Set it to a name that is the same for all instances, or set spring.application.name");
	}

}
