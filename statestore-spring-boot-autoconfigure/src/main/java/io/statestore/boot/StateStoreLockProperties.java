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
 * @param lease Time for which the store keeps a lock without a renewal, 100ms to 24h. A
 * held lock is renewed regularly, so this is the time until a waiter gets the lock of a
 * crashed holder.
 * @param keyPrefix Prefix of the keys of locks. Empty by default.
 * @param holderName Name of this application as the holder of locks, visible to other
 * processes. By default the client id of its connection.
 * @param interruptHolder Whether to interrupt the thread that holds a lock when the lock
 * is lost.
 * @param stopTimeout Maximum time that shutdown waits for held locks to be released.
 * After it, locks still held are reported as lost; the store keeps them until their
 * leases expire.
 * @param unfencedWrites Treatment of template writes without a fencing token on a thread
 * that holds a lock: 'allow' sends them, 'warn' also logs them, and 'refuse' fails them.
 * After a loss of the lock, 'warn' and 'refuse' fail them.
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
