package io.statestore.dafka.consumer;

/**
 * Schedule of the requests for the heads of all partitions. A list of heads that is being
 * received postpones the next request. Not thread-safe.
 */
final class HeadRequests {

	/** Maximum number of intervals by which a list postpones the next request. */
	private static final int MAX_POSTPONED = 10;

	private final long intervalNanos;

	/** Time of the next request. */
	private long next;

	/** Time when the latest head arrived from a store. */
	private long receivedAt;

	private int postponed;

	HeadRequests(long intervalNanos, long now) {
		this.intervalNanos = intervalNanos;
		this.next = now + intervalNanos;
		this.receivedAt = now - intervalNanos;
	}

	long next() {
		return this.next;
	}

	boolean isDue(long now) {
		return now - this.next >= 0;
	}

	/** Handles a head from a store. */
	void received(long now) {
		this.receivedAt = now;
	}

	/** Returns whether heads have arrived during the latest interval. */
	boolean isReceiving(long now) {
		return now - this.receivedAt < this.intervalNanos;
	}

	/**
	 * Schedules the next request.
	 * @return whether to request the heads now; otherwise a list is being received
	 */
	boolean schedule(long now) {
		boolean postpone = isReceiving(now) && this.postponed < MAX_POSTPONED;
		this.postponed = postpone ? this.postponed + 1 : 0;
		this.next = (postpone ? this.receivedAt : now) + this.intervalNanos;
		return !postpone;
	}

}
