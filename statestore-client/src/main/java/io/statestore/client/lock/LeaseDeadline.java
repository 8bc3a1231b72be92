package io.statestore.client.lock;

/**
 * The time up to which the holder may rely on its lease. It counts from before the
 * request was sent, so it is earlier than the expiry in the store. Safe for use by
 * several threads.
 */
final class LeaseDeadline {

	private final LockTime time;

	private volatile long at;

	LeaseDeadline(LockTime time, long sentAt, LockTerms terms) {
		this.time = time;
		granted(sentAt, terms);
	}

	/** Sets the deadline after a request sent at this time was granted. */
	void granted(long sentAt, LockTerms terms) {
		this.at = reliable(sentAt, terms);
	}

	/**
	 * Moves the deadline forward if the next request is for a shorter lease. The store
	 * may grant that lease without its reply reaching the holder.
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

	long at() {
		return this.at;
	}

	/** Returns the nanoseconds left, negative after the deadline. */
	long left() {
		return this.at - this.time.nanoTime();
	}

	boolean isOver() {
		return left() <= 0;
	}

}
