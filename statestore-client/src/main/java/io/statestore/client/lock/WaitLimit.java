package io.statestore.client.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Limit on how long an acquisition may take, counted from its creation.
 *
 * @param time clock for the limit
 * @param endsAt time at which the wait ends, {@code null} for no limit
 * @param firstReply minimum timeout of the first request, even if the limit is shorter
 */
record WaitLimit(LockTime time, @Nullable Long endsAt, Duration firstReply) {

	/** Wait time that represents no limit. */
	static final long FOREVER = Long.MAX_VALUE;

	private static final Duration FIRST_REPLY = Duration.ofSeconds(1);

	/**
	 * Returns the limit for an acquisition that may send several requests.
	 * @param nanos maximum time to wait, zero or less for a single request,
	 * {@link #FOREVER} for no limit
	 */
	static WaitLimit of(LockTime time, long nanos) {
		return new WaitLimit(time, (nanos != FOREVER) ? time.nanoTime() + Math.max(0, nanos) : null, FIRST_REPLY);
	}

	/**
	 * Returns the limit for an acquisition with a single request.
	 * @param reply timeout of the request
	 */
	static WaitLimit ofOneRequest(LockTime time, Duration reply) {
		return new WaitLimit(time, time.nanoTime(), reply);
	}

	boolean isUnlimited() {
		return this.endsAt == null;
	}

	boolean isOver() {
		return remaining() <= 0;
	}

	/** Returns the nanoseconds until the limit, zero or less once it has passed. */
	long remaining() {
		return (this.endsAt == null) ? Long.MAX_VALUE : this.endsAt - this.time.nanoTime();
	}

	/** Returns a pause, shortened so that it does not end after the limit. */
	Duration cap(Duration pause) {
		long remaining = remaining();
		return (remaining < pause.toNanos()) ? Duration.ofNanos(Math.max(0, remaining)) : pause;
	}

	/**
	 * Returns the timeout of a request.
	 * @param usual timeout to use if there is no limit
	 * @param first whether it is the first request
	 */
	Duration replyTimeout(Duration usual, boolean first) {
		if (isUnlimited()) {
			return usual;
		}
		Duration remaining = Duration.ofNanos(Math.max(0, remaining()));
		Duration least = first ? this.firstReply : Duration.ofMillis(1);
		return LockTerms.min(usual, (remaining.compareTo(least) >= 0) ? remaining : least);
	}

}
