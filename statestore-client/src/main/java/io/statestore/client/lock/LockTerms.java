package io.statestore.client.lock;

import java.time.Duration;

/**
 * How a lock is held.
 *
 * @param lease how long the store keeps it without a renewal
 * @param renewing whether it is renewed as long as it is held
 */
record LockTerms(Duration lease, boolean renewing) {

	/** The longest wait for one reply; what comes after the lease is of no use anyway. */
	private static final Duration MAX_REPLY_TIME = Duration.ofSeconds(10);

	private static final Duration ONE_MILLI = Duration.ofMillis(1);

	/**
	 * How long a holder may rely on a lease that was granted: less than the store, whose
	 * clock may be faster by one in a hundred and counts whole milliseconds.
	 */
	Duration reliable() {
		return this.lease.minus(this.lease.dividedBy(100)).minus(ONE_MILLI);
	}

	/** From one renewal to the next. */
	Duration renewalInterval() {
		return this.lease.dividedBy(3);
	}

	/** How long to wait for the reply to a renewal, so that several fit into a lease. */
	Duration renewalTimeout() {
		return atLeastOneMilli(min(this.lease.dividedBy(6), MAX_REPLY_TIME));
	}

	/** Pause after a renewal that failed. */
	Duration renewalRetry() {
		return atLeastOneMilli(this.lease.dividedBy(30));
	}

	/** How long to wait for the reply to anything else. */
	Duration replyTimeout() {
		return min(this.lease, MAX_REPLY_TIME);
	}

	static Duration min(Duration one, Duration other) {
		return (one.compareTo(other) <= 0) ? one : other;
	}

	static Duration atLeastOneMilli(Duration duration) {
		return (duration.compareTo(ONE_MILLI) >= 0) ? duration : ONE_MILLI;
	}

}
