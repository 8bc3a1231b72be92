package io.statestore.client.lock;

/**
 * Time up to which the holder may rely on its lease. The lease counts from before the
 * request was sent, less a reserve for clocks that run at different rates. The deadline
 * therefore precedes the expiry in the store. Safe for use by several threads.
 * <p>
 * Source: Gray and Cheriton 1989, "Leases: An Efficient Fault-Tolerant Mechanism for
 * Distributed File Cache Consistency".
 */
final class LeaseDeadline {

	private final LockTime time;

	private volatile long at;

	LeaseDeadline(LockTime time, long sentAt, LockTerms terms) {
		this.time = time;
		this.at = reliable(sentAt, terms);
	}

	/** Sets the deadline after a request sent at this time was granted. */
	void granted(long sentAt, LockTerms terms) {
		this.at = reliable(sentAt, terms);
	}

	/**
	 * Moves the deadline forward if a request for a shorter lease is about to be sent.
	 * The store may grant that lease without its reply reaching the holder.
	 */
	void requested(long sentAt, LockTerms terms) {
		long earlier = reliable(sentAt, terms);
		if (earlier - this.at < 0) {
			this.at = earlier;
		}
	}

	private static long reliable(long sentAt, LockTerms terms) {
		return sentAt + terms.reliable().toNanos();
	}

	/** Returns the deadline as a value of {@link LockTime#nanoTime()}. */
	long at() {
		return this.at;
	}

	/** Returns the nanoseconds to the deadline, negative after it. */
	long remaining() {
		return this.at - this.time.nanoTime();
	}

	boolean isOver() {
		return remaining() <= 0;
	}

}
