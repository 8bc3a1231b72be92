package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.FencingToken;
import io.statestore.client.lock.LockLostEvent.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Status of a lease and its deadline, up to which the holder may rely on it. The events
 * of the lease change it, and any thread may read it without a request to the store.
 * <p>
 * The lease counts from before its request was sent, less a reserve for clocks that run
 * at different rates, so the deadline precedes the expiry in the store. A maximum hold
 * limits the deadline. Source: Gray and Cheriton 1989, "Leases: An Efficient
 * Fault-Tolerant Mechanism for Distributed File Cache Consistency".
 */
final class LeaseStatus {

	/** HELD leads to LOST or RELEASING, and RELEASING to RELEASED or LOST. */
	enum State {

		HELD, RELEASING, RELEASED, LOST

	}

	private final CompletableFuture<LockLostEvent> lost = new CompletableFuture<>();

	private final RequestedLock lock;

	private final FencingToken token;

	/** Time at which the maximum hold ends, {@code null} for no limit. */
	private final @Nullable Long holdEnd;

	/** Reserve before the end of the maximum hold, in nanoseconds. */
	private final long reserve;

	/** Terms of the next renewal. */
	private volatile LockTerms terms;

	/** Whether a renewal with unknown outcome was sent since the last confirmed one. */
	private volatile boolean possiblyRenewed;

	private volatile long deadline;

	private volatile State state = State.HELD;

	private volatile @Nullable LockLostEvent loss;

	/** Reason of a detected loss that is still to be processed. */
	private volatile @Nullable Reason pendingLoss;

	LeaseStatus(RequestedLock lock, FencingToken token, long sentAt) {
		LockTerms terms = lock.terms();
		this.lock = lock;
		this.terms = terms;
		this.token = token;
		this.holdEnd = (terms.maxHold() != null) ? sentAt + terms.maxHold().toNanos() : null;
		this.reserve = terms.lease().minus(terms.reliable()).toNanos();
		this.deadline = deadline(sentAt, terms);
	}

	private long deadline(long sentAt, LockTerms terms) {
		long reliable = sentAt + terms.reliable().toNanos();
		return (this.holdEnd != null && reliable - this.holdEnd + this.reserve > 0) ? this.holdEnd - this.reserve
				: reliable;
	}

	State state() {
		return this.state;
	}

	FencingToken token() {
		return this.token;
	}

	/** Returns whether the lock is held at this moment. */
	boolean isValid() {
		return this.state == State.HELD && this.pendingLoss == null && nanosLeft() > 0;
	}

	/**
	 * Requires that the lock is held at this moment.
	 * @throws LockLostException if it is lost or released
	 */
	void requireValid() {
		if (!isValid()) {
			throw new LockLostException(lossOrEnd());
		}
	}

	/** Returns the reliable rest of the lease, zero after a loss or release. */
	Duration remaining() {
		return isValid() ? Duration.ofNanos(Math.max(0, nanosLeft())) : Duration.ZERO;
	}

	/** Returns the nanoseconds to the deadline, negative after it. */
	long nanosLeft() {
		return this.deadline - this.lock.time().nanoTime();
	}

	/** Returns whether no renewal can extend the deadline. */
	boolean isFinal() {
		return this.holdEnd != null && this.deadline - this.holdEnd + this.reserve >= 0;
	}

	/** Returns the reason of a loss at the deadline. */
	Reason reasonAtDeadline() {
		return isFinal() ? Reason.HOLD_ENDED : Reason.EXPIRED;
	}

	/** Returns a future that completes with the loss. */
	CompletableFuture<LockLostEvent> lost() {
		return this.lost;
	}

	/** Returns the loss, or {@code null} if the lock was not lost. */
	@Nullable LockLostEvent loss() {
		return this.loss;
	}

	/** Returns the loss, or a description of the release if the lock was not lost. */
	LockLostEvent lossOrEnd() {
		LockLostEvent loss = this.loss;
		if (loss != null) {
			return loss;
		}
		Reason reason = this.pendingLoss;
		if (reason == null) {
			reason = (this.state == State.HELD) ? reasonAtDeadline() : Reason.RELEASED;
		}
		return new LockLostEvent(this.lock.key(), this.token, reason);
	}

	/** Returns the terms of the next renewal. */
	LockTerms terms() {
		return this.terms;
	}

	void changeLease(Duration lease) {
		this.terms = this.terms.withLease(lease);
	}

	boolean isPossiblyRenewed() {
		return this.possiblyRenewed;
	}

	void becomePossiblyRenewed() {
		this.possiblyRenewed = true;
	}

	/**
	 * Returns the terms of a renewal sent at this time, within the maximum hold. Moves
	 * the deadline forward if the requested lease is shorter, because the store may grant
	 * it without its reply reaching the holder.
	 */
	LockTerms requested(long sentAt) {
		LockTerms limited = this.terms;
		if (this.holdEnd != null) {
			Duration left = LockTerms.atLeastOneMilli(Duration.ofNanos(this.holdEnd - sentAt));
			limited = limited.withLease(LockTerms.min(limited.lease(), left));
		}
		long earlier = deadline(sentAt, limited);
		if (earlier - this.deadline < 0) {
			this.deadline = earlier;
		}
		return limited;
	}

	/** Sets the deadline after a request sent at this time was granted. */
	void granted(long sentAt, LockTerms terms) {
		this.possiblyRenewed = false;
		this.deadline = deadline(sentAt, terms);
	}

	/** Makes the lock invalid at once because of a loss that is still to be processed. */
	void announceLoss(Reason reason) {
		this.pendingLoss = reason;
	}

	void becomeReleasing() {
		this.state = State.RELEASING;
	}

	void becomeReleased() {
		this.state = State.RELEASED;
	}

	/** Ends the tenure with a loss, unless it has ended. */
	void becomeLost(Reason reason, @Nullable Throwable cause) {
		if (this.state == State.HELD || this.state == State.RELEASING) {
			LockLostEvent loss = new LockLostEvent(this.lock.key(), this.token, reason, cause);
			this.loss = loss;
			this.state = State.LOST;
			this.lock.monitors().measured((monitor) -> monitor.lost(reason));
			this.lost.complete(loss);
		}
	}

}
