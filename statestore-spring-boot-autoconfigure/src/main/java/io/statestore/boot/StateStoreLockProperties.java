package io.statestore.boot;

import java.time.Duration;

import io.statestore.boot.internal.OptionProperties;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.UnfencedWrites;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties for locks in the state store.
 *
 * @param lease How long the store keeps a lock that is not renewed, 100ms to 24h. Held
 * locks are renewed regularly, so this is how long a waiter waits for the lock if the
 * holder crashes.
 * @param keyPrefix Prefix of all lock keys. Empty by default.
 * @param holderName Name that identifies this application as a lock holder to other
 * processes. By default, the connection's client ID.
 * @param interruptHolder Whether to interrupt the holding thread when a lock is lost.
 * @param stopTimeout How long shutdown waits for held locks to be released. Afterward,
 * locks that are still held are reported as lost, and the store keeps them until their
 * leases expire.
 * @param unfencedWrites How to treat template writes without a fencing token on a thread
 * that holds a lock: 'allow' sends them, 'warn' sends and logs them, and 'refuse' rejects
 * them. After the lock is lost, both 'warn' and 'refuse' reject them.
 */
@ConfigurationProperties("statestore.lock")
record StateStoreLockProperties(@DefaultValue("30s") Duration lease, @DefaultValue("") String keyPrefix,
		@Nullable String holderName, boolean interruptHolder, @DefaultValue("5s") Duration stopTimeout,
		@DefaultValue("warn") UnfencedWrites unfencedWrites) {

	LockOptions options(@Nullable String clientId) {
		String holderName = (this.holderName != null) ? this.holderName : clientId;
		return OptionProperties.create("statestore.lock.", () -> {
			LockOptions options = LockOptions.DEFAULT.withKeyPrefix(this.keyPrefix)
				.withInterruptHolder(this.interruptHolder)
				.withLease(this.lease)
				.withStopTimeout(this.stopTimeout)
				.withUnfencedWrites(this.unfencedWrites);
			return (holderName != null) ? options.withHolderName(holderName) : options;
		});
	}

}
