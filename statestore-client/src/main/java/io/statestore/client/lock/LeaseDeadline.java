package io.statestore.client.lock;

import java.time.Duration;

import io.statestore.client.lock.LockLoss.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Time up to which the holder may rely on its lease. The lease counts from before the
 * request was sent, less a reserve for clocks that run at different rates. The deadline
 * therefore precedes the expiry in the store. A maximum hold limits the deadline. Safe
 * for use by several threads.
 * <p>
 * Source: Gray and Cheriton 1989, "Leases: An Efficient Fault-Tolerant Mechanism for
 * Distributed File Cache Consistency".
 */
final class LeaseDeadline {

	private final LockTime time;

	/** Time at which the maximum hold ends, {@code null} for no limit. */
	private final @Nullable Long holdEnd;

	/** Reserve before the end of the maximum hold, in nanoseconds. */
	private final long reserve;

	private volatile long at;

	LeaseDeadline(LockTime time, long sentAt, LockTerms terms) {
		this.time = time;
		this.holdEnd = (terms.maxHold() != null) ? sentAt + terms.maxHold().toNanos() : null;
		this.reserve = terms.lease().minus(terms.reliable()).toNanos();
		this.at = reliable(sentAt, terms);
	}

	/** Returns the terms of a request sent at this time, within the maximum hold. */
	LockTerms limit(long sentAt, LockTerms terms) {
		if (this.holdEnd == null) {
			return terms;
		}
		Duration left = LockTerms.atLeastOneMilli(Duration.ofNanos(this.holdEnd - sentAt));
		return terms.withLease(LockTerms.min(terms.lease(), left));
	}

	/** Returns whether no renewal can extend the deadline. */
	boolean isFinal() {
		return this.holdEnd != null && this.at - this.holdEnd + this.reserve >= 0;
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

	private long reliable(long sentAt, LockTerms terms) {
		long reliable = sentAt + terms.reliable().toNanos();
		return (this.holdEnd != null && reliable - this.holdEnd + this.reserve > 0) ? this.holdEnd - this.reserve
				: reliable;
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

	/** Returns the reason of a loss at the deadline. */
	Reason reason() {
		return isFinal() ? Reason.HOLD_ENDED : Reason.EXPIRED;
	}

}
