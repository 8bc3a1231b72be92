package io.statestore.client.lock;

import java.time.Duration;

/** Limit of the time that an acquisition may take, counted from its construction. */
final class WaitLimit {

	/** Waits without limit. */
	static final long FOREVER = Long.MAX_VALUE;

	/** Time for the first reply, even if the limit is shorter. */
	private static final Duration FIRST_REPLY = Duration.ofSeconds(1);

	private final LockTime time;

	private final long endsAt;

	private final boolean unlimited;

	private final Duration firstReply;

	private WaitLimit(LockTime time, long nanos, Duration firstReply) {
		this.time = time;
		this.unlimited = nanos == FOREVER;
		this.endsAt = time.nanoTime() + (this.unlimited ? 0 : nanos);
		this.firstReply = firstReply;
	}

	/**
	 * Returns the limit of an ordinary acquisition.
	 * @param nanos time to wait, 0 for one request, {@link #FOREVER} for no limit
	 */
	static WaitLimit of(LockTime time, long nanos) {
		return new WaitLimit(time, nanos, FIRST_REPLY);
	}

	/** Returns a limit of one request whose reply may take as long as given. */
	static WaitLimit ofOneRequest(LockTime time, Duration reply) {
		return new WaitLimit(time, 0, reply);
	}

	boolean isUnlimited() {
		return this.unlimited;
	}

	boolean isOver() {
		return left() <= 0;
	}

	/** Returns the nanoseconds left, not positive once the limit is over. */
	long left() {
		return this.unlimited ? Long.MAX_VALUE : this.endsAt - this.time.nanoTime();
	}

	/** Returns a pause that ends with the limit at the latest. */
	Duration cap(Duration pause) {
		long left = left();
		return (left < pause.toNanos()) ? Duration.ofNanos(Math.max(0, left)) : pause;
	}

	/**
	 * Returns the timeout of a request.
	 * @param usual timeout without a limit
	 * @param first whether no request has been answered or has failed before
	 */
	Duration replyTimeout(Duration usual, boolean first) {
		if (this.unlimited) {
			return usual;
		}
		Duration left = Duration.ofNanos(Math.max(0, left()));
		Duration least = first ? this.firstReply : Duration.ofMillis(1);
		return LockTerms.min(usual, (left.compareTo(least) >= 0) ? left : least);
	}

}
