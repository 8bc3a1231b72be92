package io.statestore.client.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Terms on which a lock is held.
 *
 * @param lease time for which the store keeps the lock without a renewal
 * @param renewing whether the lease is renewed while the lock is held
 * @param maxHold time after which the lock ends despite its renewals, {@code null} for no
 * limit
 */
record LockTerms(Duration lease, boolean renewing, @Nullable Duration maxHold) {

	/** Longest lease of a successor lock, which bounds the delay by a dead successor. */
	static final Duration MAX_SUCCESSOR_LEASE = Duration.ofSeconds(3);

	private static final Duration MAX_REPLY_TIME = Duration.ofSeconds(10);

	private static final Duration ONE_MILLI = Duration.ofMillis(1);

	/** Shortens the lease to the maximum hold. */
	LockTerms {
		lease = (maxHold != null) ? min(lease, maxHold) : lease;
	}

	/** Creates terms without a maximum hold. */
	LockTerms(Duration lease, boolean renewing) {
		this(lease, renewing, null);
	}

	/** Returns these terms with another lease. */
	LockTerms withLease(Duration lease) {
		return new LockTerms(lease, this.renewing, this.maxHold);
	}

	/**
	 * Returns the time for which a holder may rely on a granted lease. It is 1 % and a
	 * millisecond shorter than the lease, because the clock of the store may run faster
	 * and counts whole milliseconds.
	 */
	Duration reliable() {
		return this.lease.minus(this.lease.dividedBy(100)).minus(ONE_MILLI);
	}

	/** Returns the interval between renewals. */
	Duration renewalInterval() {
		return this.lease.dividedBy(3);
	}

	/** Returns the timeout of a renewal. Several renewals fit into a lease. */
	Duration renewalTimeout() {
		return atLeastOneMilli(min(this.lease.dividedBy(6), MAX_REPLY_TIME));
	}

	/** Returns the pause after a failed renewal. */
	Duration renewalRetry() {
		return atLeastOneMilli(this.lease.dividedBy(30));
	}

	/** Returns the timeout of all other requests. A reply after the lease is useless. */
	Duration replyTimeout() {
		return min(this.lease, MAX_REPLY_TIME);
	}

	/** Returns the terms of the successor lock of a lock with these terms. */
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
