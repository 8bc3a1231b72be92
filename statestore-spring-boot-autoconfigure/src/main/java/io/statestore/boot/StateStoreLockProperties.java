package io.statestore.boot;

import java.time.Duration;

import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.UnfencedWrites;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/** Properties of the locks in the state store. */
@ConfigurationProperties("statestore.lock")
public class StateStoreLockProperties {

	/**
	 * Time for which the store keeps a lock without a renewal, 100ms to 24h. A held lock
	 * is renewed regularly, so this is the time until a waiter gets the lock of a crashed
	 * holder.
	 */
	private Duration lease = Duration.ofSeconds(30);

	/**
	 * Prefix of the keys of locks. Empty by default.
	 */
	private String keyPrefix = "";

	/**
	 * Name of this application as the holder of locks, visible to other processes. By
	 * default the client id of its connection.
	 */
	private @Nullable String holderName;

	/**
	 * Whether to interrupt the thread that holds a lock when the lock is lost.
	 */
	private boolean interruptHolder;

	/**
	 * Maximum time that shutdown waits for held locks to be released. After it, locks
	 * still held are reported as lost; the store keeps them until their leases expire.
	 */
	private Duration stopTimeout = Duration.ofSeconds(5);

	/**
	 * Treatment of template writes without a fencing token on a thread that holds a lock:
	 * 'allow' sends them, 'warn' also logs them, and 'refuse' fails them. After a loss of
	 * the lock, 'warn' and 'refuse' fail them.
	 */
	private UnfencedWrites unfencedWrites = UnfencedWrites.WARN;

	public Duration getLease() {
		return this.lease;
	}

	public void setLease(Duration lease) {
		this.lease = lease;
	}

	public String getKeyPrefix() {
		return this.keyPrefix;
	}

	public void setKeyPrefix(String keyPrefix) {
		this.keyPrefix = keyPrefix;
	}

	public @Nullable String getHolderName() {
		return this.holderName;
	}

	public void setHolderName(@Nullable String holderName) {
		this.holderName = holderName;
	}

	public boolean isInterruptHolder() {
		return this.interruptHolder;
	}

	public void setInterruptHolder(boolean interruptHolder) {
		this.interruptHolder = interruptHolder;
	}

	public Duration getStopTimeout() {
		return this.stopTimeout;
	}

	public void setStopTimeout(Duration stopTimeout) {
		this.stopTimeout = stopTimeout;
	}

	public UnfencedWrites getUnfencedWrites() {
		return this.unfencedWrites;
	}

	public void setUnfencedWrites(UnfencedWrites unfencedWrites) {
		this.unfencedWrites = unfencedWrites;
	}

	LockOptions options(@Nullable String clientId) {
		String holderName = (this.holderName != null) ? this.holderName : clientId;
		return ClientOptions.create("statestore.lock.", () -> {
			LockOptions options = LockOptions.DEFAULT.withKeyPrefix(this.keyPrefix)
				.withInterruptHolder(this.interruptHolder)
				.withLease(this.lease)
				.withStopTimeout(this.stopTimeout)
				.withUnfencedWrites(this.unfencedWrites);
			return (holderName != null) ? options.withHolderName(holderName) : options;
		});
	}

}
