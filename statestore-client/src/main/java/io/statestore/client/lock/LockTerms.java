package io.statestore.client.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Terms on which a lock is held.
 *
 * @param lease how long the store keeps the lock without a renewal
 * @param renewing whether the lease is renewed while the lock is held
 * @param maxHold how long the lock can be held, even if it is renewed, {@code null} for
 * no limit
 */
record LockTerms(Duration lease, boolean renewing, @Nullable Duration maxHold) {

	/**
	 * Maximum lease of a successor lock. Bounds the delay that a crashed successor
	 * causes.
	 */
	static final Duration MAX_SUCCESSOR_LEASE = Duration.ofSeconds(3);

	private static final Duration MAX_REPLY_TIME = Duration.ofSeconds(10);

	private static final Duration ONE_MILLI = Duration.ofMillis(1);

	/** Limits the lease to the maximum hold. */
	LockTerms {
		lease = (maxHold != null) ? min(lease, maxHold) : lease;
	}

	LockTerms(Duration lease, boolean renewing) {
		this(lease, renewing, null);
	}

	LockTerms withLease(Duration lease) {
		return new LockTerms(lease, this.renewing, this.maxHold);
	}

	/**
	 * Returns how long a holder may rely on a granted lease. The result is 1% plus a
	 * millisecond less than the lease, because the store's clock may run faster and
	 * counts whole milliseconds.
	 */
	Duration reliable() {
		return this.lease.minus(this.lease.dividedBy(100)).minus(ONE_MILLI);
	}

	Duration renewalInterval() {
		return this.lease.dividedBy(3);
	}

	/** Returns the timeout of a renewal. Several renewals fit in a lease. */
	Duration renewalTimeout() {
		return atLeastOneMilli(min(this.lease.dividedBy(6), MAX_REPLY_TIME));
	}

	Duration renewalRetry() {
		return atLeastOneMilli(this.lease.dividedBy(30));
	}

	/**
	 * Returns the timeout of all other requests. A reply that arrives after the lease has
	 * ended is useless.
	 */
	Duration replyTimeout() {
		return min(this.lease, MAX_REPLY_TIME);
	}

	/** Returns the terms of the successor lock for a lock with these terms. */
	LockTerms ofSuccessor() {
		Duration lease = min(this.lease.dividedBy(3), MAX_SUCCESSOR_LEASE);
		return new LockTerms((lease.compareTo(LockOptions.MIN_LEASE) > 0) ? lease : LockOptions.MIN_LEASE, true);
	}

	static Duration min(Duration one, Duration other) {
		return (one.compareTo(other) <= 0) ? one : other;
	}

	static Duration atLeastOneMilli(Duration duration) {
		return (duration.compareTo(ONE_MILLI) >= 0) ? duration : ONE_MILLI;
	}

}
