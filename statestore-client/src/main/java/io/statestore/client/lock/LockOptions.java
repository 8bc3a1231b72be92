package io.statestore.client.lock;

import java.time.Duration;
import java.util.UUID;
import java.util.regex.Pattern;

import io.statestore.protocol.InvalidOptionException;

/**
 * Options of a {@link StateStoreLockRegistry}. Immutable.
 *
 * @param lease how long the store keeps a lock without a renewal, 100 ms to a day, 30 s
 * by default. A held lock is renewed after a third of the lease. Choose a lease longer
 * than the process pauses and network outages that a holder must survive, but not longer
 * than waiters can wait for a crashed holder's lock
 * @param holderName name of this process in {@link FencedLock#holder()}, 1 to 256
 * characters; by default, its process id and host
 * @param keyPrefix prefix that separates lock keys from other keys in the store; empty by
 * default, as in the protocol's other clients. It is appended to the template's key
 * prefix
 * @param interruptHolder whether to interrupt the thread that holds a lock when the lock
 * is lost; {@code false} by default
 * @param stopTimeout how long {@link StateStoreLockRegistry#stop()} waits for holders to
 * release their locks, 0 to an hour, 5 s by default
 * @param unfencedWrites what happens to writes without a fencing token on a thread that
 * holds a lock; {@link UnfencedWrites#WARN} by default
 */
public record LockOptions(Duration lease, String holderName, String keyPrefix, boolean interruptHolder,
		Duration stopTimeout, UnfencedWrites unfencedWrites) {

	/** Minimum lease. */
	public static final Duration MIN_LEASE = Duration.ofMillis(100);

	/** Maximum lease. */
	public static final Duration MAX_LEASE = Duration.ofDays(1);

	private static final Duration MAX_HOLD = Duration.ofDays(365);

	private static final int MAX_TEXT = 256;

	private static final Duration MAX_STOP_TIMEOUT = Duration.ofHours(1);

	/** Control characters, line separators, and unpaired surrogates. */
	private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

	/** Options with their default values. */
	public static final LockOptions DEFAULT = new LockOptions(Duration.ofSeconds(30), defaultHolderName(), "", false,
			Duration.ofSeconds(5), UnfencedWrites.WARN);

	/**
	 * Creates options.
	 * @throws InvalidOptionException if an option is out of range
	 */
	public LockOptions {
		lease = requireLease("lease", lease);
		if (holderName.isBlank() || holderName.length() > MAX_TEXT) {
			throw new InvalidOptionException("holderName", holderName,
					"must have 1 to " + MAX_TEXT + " characters, not only spaces",
					"Use a name that identifies the process");
		}
		requireKeyPrefix(keyPrefix);
		if (stopTimeout.isNegative() || stopTimeout.compareTo(MAX_STOP_TIMEOUT) > 0) {
			throw new InvalidOptionException("stopTimeout", stopTimeout,
					"must be 0 to " + MAX_STOP_TIMEOUT.toHours() + " h", "Use about the time for which a lock is held");
		}
	}

	/**
	 * Returns a lease in whole milliseconds.
	 * @param name name of the option or parameter, for error messages
	 * @throws IllegalArgumentException if the lease is out of range
	 */
	static Duration requireLease(String name, Duration lease) {
		if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
			throw new InvalidOptionException(name, lease,
					"must be " + MIN_LEASE.toMillis() + " ms to " + MAX_LEASE.toHours() + " h",
					"A lease is renewed while the lock is held, so it need not be as long as the work");
		}
		return Duration.ofMillis(lease.toMillis());
	}

	/**
	 * Returns a maximum hold in whole milliseconds.
	 * @throws IllegalArgumentException if the maximum hold is out of range
	 */
	static Duration requireMaxHold(Duration maxHold) {
		if (maxHold.compareTo(MIN_LEASE) < 0 || maxHold.compareTo(MAX_HOLD) > 0) {
			throw new InvalidOptionException("maxHold", maxHold,
					"must be " + MIN_LEASE.toMillis() + " ms to " + MAX_HOLD.toDays() + " days",
					"Use a time longer than the work takes, or none for a lock that is held until it is released");
		}
		return Duration.ofMillis(maxHold.toMillis());
	}

	private static void requireKeyPrefix(String keyPrefix) {
		boolean blank = !keyPrefix.isEmpty() && keyPrefix.isBlank();
		if (blank || keyPrefix.length() > MAX_TEXT || UNPRINTABLE.matcher(keyPrefix).find()) {
			throw new InvalidOptionException("keyPrefix", keyPrefix,
					"must be empty or have up to " + MAX_TEXT + " printable characters",
					"Use a prefix such as 'locks/'");
		}
	}

	private static String defaultHolderName() {
		String host = System.getenv().getOrDefault("HOSTNAME", UUID.randomUUID().toString().substring(0, 8));
		return ProcessHandle.current().pid() + "@" + host;
	}

	/**
	 * Returns these options with another lease.
	 * @param lease 100 ms to a day
	 * @return the new options
	 * @throws IllegalArgumentException if the option is out of range
	 */
	public LockOptions withLease(Duration lease) {
		return new LockOptions(lease, this.holderName, this.keyPrefix, this.interruptHolder, this.stopTimeout,
				this.unfencedWrites);
	}

	/**
	 * Returns these options with another holder name.
	 * @param holderName 1 to 256 characters
	 * @return the new options
	 * @throws IllegalArgumentException if the option is out of range
	 */
	public LockOptions withHolderName(String holderName) {
		return new LockOptions(this.lease, holderName, this.keyPrefix, this.interruptHolder, this.stopTimeout,
				this.unfencedWrites);
	}

	/**
	 * Returns these options with another key prefix.
	 * @param keyPrefix up to 256 printable characters, or empty
	 * @return the new options
	 * @throws IllegalArgumentException if the option is out of range
	 */
	public LockOptions withKeyPrefix(String keyPrefix) {
		return new LockOptions(this.lease, this.holderName, keyPrefix, this.interruptHolder, this.stopTimeout,
				this.unfencedWrites);
	}

	/**
	 * Returns these options with interruption of lock holders enabled or disabled.
	 * @param interruptHolder whether to interrupt the thread that holds a lock when the
	 * lock is lost
	 * @return the new options
	 */
	public LockOptions withInterruptHolder(boolean interruptHolder) {
		return new LockOptions(this.lease, this.holderName, this.keyPrefix, interruptHolder, this.stopTimeout,
				this.unfencedWrites);
	}

	/**
	 * Returns these options with another stop timeout.
	 * @param stopTimeout 0 to an hour
	 * @return the new options
	 * @throws IllegalArgumentException if the option is out of range
	 */
	public LockOptions withStopTimeout(Duration stopTimeout) {
		return new LockOptions(this.lease, this.holderName, this.keyPrefix, this.interruptHolder, stopTimeout,
				this.unfencedWrites);
	}

	/**
	 * Returns these options with another policy for unfenced writes.
	 * @param unfencedWrites what happens to writes without a fencing token on a thread
	 * that holds a lock
	 * @return the new options
	 */
	public LockOptions withUnfencedWrites(UnfencedWrites unfencedWrites) {
		return new LockOptions(this.lease, this.holderName, this.keyPrefix, this.interruptHolder, this.stopTimeout,
				unfencedWrites);
	}

}
