package io.statestore.client.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Limit of the time that an acquisition may take, counted from its creation.
 *
 * @param time measures the limit
 * @param endsAt end of the wait, {@code null} for no limit
 * @param firstReply shortest timeout of the first request, even if the limit is shorter
 */
record WaitLimit(LockTime time, @Nullable Long endsAt, Duration firstReply) {

	/** Stands for a wait without limit. */
	static final long FOREVER = Long.MAX_VALUE;

	private static final Duration FIRST_REPLY = Duration.ofSeconds(1);

	/**
	 * Returns the limit of an acquisition that may send several requests.
	 * @param nanos time to wait, zero or less for one request, {@link #FOREVER} for no
	 * limit
	 */
	static WaitLimit of(LockTime time, long nanos) {
		return new WaitLimit(time, (nanos != FOREVER) ? time.nanoTime() + Math.max(0, nanos) : null, FIRST_REPLY);
	}

	/**
	 * Returns the limit of an acquisition with one request.
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

	/** Returns the nanoseconds to the limit, zero or less once it is over. */
	long remaining() {
		return (this.endsAt == null) ? Long.MAX_VALUE : this.endsAt - this.time.nanoTime();
	}

	/** Returns the pause, shortened so that it ends with the limit at the latest. */
	Duration cap(Duration pause) {
		long remaining = remaining();
		return (remaining < pause.toNanos()) ? Duration.ofNanos(Math.max(0, remaining)) : pause;
	}

	/**
	 * Returns the timeout of a request.
	 * @param usual timeout without a limit
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
