package io.statestore.boot;

import java.time.Duration;

import io.statestore.boot.internal.OptionProperties;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Properties for leader election.
 *
 * @param enabled Whether this application takes part in the leader election.
 * @param role Leader role, and name of the DistributedLock that elects the leader. All
 * instances of an application must use the same role, and other applications that share
 * the store must use different roles. By default, the value of spring.application.name.
 * The lock's name then has the prefix 'locks/', unless statestore.lock.key-prefix is set.
 * @param lease Lease of the DistributedLock, 100ms to 24h. By default, the value of
 * statestore.lock.lease.
 */
@ConfigurationProperties("statestore.leader")
record StateStoreLeaderProperties(boolean enabled, @Nullable String role, @Nullable Duration lease) {

	private static final String LOCK_PREFIX = "locks/";

	/**
	 * Validates the role and the lease at startup, because the lock is created lazily.
	 */
	void validate() {
		if (this.role != null && !StringUtils.hasText(this.role)) {
			throw noRole();
		}
		if (this.lease != null) {
			Duration lease = this.lease;
			OptionProperties.create("statestore.leader.", () -> LockOptions.DEFAULT.withLease(lease));
		}
	}

	FencedLock lock(StateStoreLockRegistry registry, Environment environment) {
		String name = lockName(environment);
		return (this.lease != null) ? registry.obtain(name, this.lease) : registry.obtain(name);
	}

	/**
	 * Returns the lock's name. Adds a prefix to the application name, which remains
	 * available as a key for data.
	 */
	private String lockName(Environment environment) {
		String role = role(environment);
		boolean prefixed = StringUtils.hasLength(environment.getProperty("statestore.lock.key-prefix"));
		return (this.role != null || prefixed) ? role : LOCK_PREFIX + role;
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
				"It names the DistributedLock of the application, which also elects the leader. Set it to the same "
						+ "name in all instances, or set spring.application.name");
	}

}
