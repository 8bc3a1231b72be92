package io.statestore.client.lock;

import java.time.Duration;
import java.util.UUID;

/**
 * How the locks of a {@link StateStoreLockRegistry} are held. Immutable.
 *
 * @param lease how long the store keeps a lock whose holder has fallen silent, 100 ms to
 * a day, 30 s by default. It is renewed at a third of it for as long as the lock is held.
 * Longer than the pauses of the process and the outages of the network that a holder
 * shall survive, shorter than what the others may wait for a dead one
 * @param holderName what {@link FencedLock#holder()} shows of this process; by default
 * its process id and host
 * @param keyPrefix what the keys of locks begin with, so that they differ from other keys
 * of the store; empty by default, as in other clients of the protocol
 * @param interruptHolder whether the thread that holds a lock is interrupted when it is
 * lost; false by default
 */
public record LockOptions(Duration lease, String holderName, String keyPrefix, boolean interruptHolder) {

	/** The shortest lease. */
	public static final Duration MIN_LEASE = Duration.ofMillis(100);

	/** The longest lease. */
	public static final Duration MAX_LEASE = Duration.ofDays(1);

	/** All at their defaults. */
	public static final LockOptions DEFAULT = new LockOptions(Duration.ofSeconds(30), defaultHolderName(), "", false);

	public LockOptions {
		lease = requireLease("lease", lease);
		if (holderName.isBlank() || holderName.length() > 256) {
			throw new IllegalArgumentException("'holderName' must have 1 to 256 characters, but is '" + holderName
					+ "'. Use one that tells people which process it is");
		}
	}

	/** A lease in whole milliseconds. */
	static Duration requireLease(String name, Duration lease) {
		if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
			throw new IllegalArgumentException("'" + name + "' must be " + MIN_LEASE.toMillis() + " ms to "
					+ MAX_LEASE.toHours() + " h, but is " + lease
					+ ". A lease is renewed while the lock is held, so it need not be as long as the work");
		}
		return Duration.ofMillis(lease.toMillis());
	}

	private static String defaultHolderName() {
		String host = System.getenv().getOrDefault("HOSTNAME", UUID.randomUUID().toString().substring(0, 8));
		return ProcessHandle.current().pid() + "@" + host;
	}

	/** With another lease. */
	public LockOptions withLease(Duration lease) {
		return new LockOptions(lease, this.holderName, this.keyPrefix, this.interruptHolder);
	}

	/** With another name of this process. */
	public LockOptions withHolderName(String holderName) {
		return new LockOptions(this.lease, holderName, this.keyPrefix, this.interruptHolder);
	}

	/** With another beginning of keys. */
	public LockOptions withKeyPrefix(String keyPrefix) {
		return new LockOptions(this.lease, this.holderName, keyPrefix, this.interruptHolder);
	}

	/** With or without an interrupt of the thread that holds a lock that is lost. */
	public LockOptions withInterruptHolder(boolean interruptHolder) {
		return new LockOptions(this.lease, this.holderName, this.keyPrefix, interruptHolder);
	}

}
