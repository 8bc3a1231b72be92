package io.statestore.client.lock;

import java.time.Duration;
import java.util.UUID;
import java.util.regex.Pattern;

import io.statestore.protocol.InvalidOptionException;

/**
 * Options of a {@link StateStoreLockRegistry}. Immutable.
 *
 * @param lease time for which the store keeps a lock without a renewal, 100 ms to a day,
 * 30 s by default. A held lock is renewed after a third of it. The lease must exceed the
 * process pauses and network outages that a holder must survive. It must not exceed the
 * time for which waiters can wait for a dead holder
 * @param holderName name of this process in {@link FencedLock#holder()}, 1 to 256
 * characters; by default its process id and host
 * @param keyPrefix prefix of lock keys, which separates them from other keys of the
 * store; empty by default, as in other clients of the protocol. Follows the key prefix of
 * the template
 * @param interruptHolder whether the thread that holds a lock is interrupted when the
 * lock is lost; false by default
 * @param stopTimeout time for which {@link StateStoreLockRegistry#stop()} waits for
 * holders to release their locks, up to an hour, 5 s by default
 * @param unfencedWrites what happens to the writes of a template on a thread that holds a
 * lock, if they carry no fencing token; {@link UnfencedWrites#WARN} by default
 */
public record LockOptions(Duration lease, String holderName, String keyPrefix, boolean interruptHolder,
		Duration stopTimeout, UnfencedWrites unfencedWrites) {

	/** Shortest lease. */
	public static final Duration MIN_LEASE = Duration.ofMillis(100);

	/** Longest lease. */
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
	 * @throws InvalidOptionException if an option is out of its range
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
	 * @param name of the option or parameter, for messages
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
	 * Returns these options with or without an interrupt of threads that lose a lock.
	 * @param interruptHolder whether to interrupt the holder of a lost lock
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
	 * Returns these options with another treatment of unfenced writes.
	 * @param unfencedWrites what happens to writes without a fencing token on a thread
	 * that holds a lock
	 * @return the new options
	 */
	public LockOptions withUnfencedWrites(UnfencedWrites unfencedWrites) {
		return new LockOptions(this.lease, this.holderName, this.keyPrefix, this.interruptHolder, this.stopTimeout,
				unfencedWrites);
	}

}
