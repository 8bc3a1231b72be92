package io.statestore.client.lock;

import java.time.Duration;

import io.statestore.client.lock.LockLoss.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Status of a lease. The events of the lease change it, and any thread may read it
 * without a request to the store.
 */
final class LeaseStatus {

	/** HELD leads to LOST or RELEASING, and RELEASING to RELEASED or LOST. */
	enum State {

		HELD, RELEASING, RELEASED, LOST

	}

	private final HeldLock held;

	private final LeaseDeadline deadline;

	private volatile State state = State.HELD;

	private volatile @Nullable LockLoss loss;

	/** Reason of a detected loss that is still to be processed. */
	private volatile @Nullable Reason pendingLoss;

	LeaseStatus(HeldLock held, LeaseDeadline deadline) {
		this.held = held;
		this.deadline = deadline;
	}

	State state() {
		return this.state;
	}

	/** Returns whether the lock is held at this moment. */
	boolean isValid() {
		return this.state == State.HELD && this.pendingLoss == null && !this.deadline.isOver();
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
		return isValid() ? Duration.ofNanos(Math.max(0, this.deadline.remaining())) : Duration.ZERO;
	}

	/** Returns the loss, or {@code null} if the lock was not lost. */
	@Nullable LockLoss loss() {
		return this.loss;
	}

	/** Returns the loss, or a description of the release if the lock was not lost. */
	LockLoss lossOrEnd() {
		LockLoss loss = this.loss;
		if (loss != null) {
			return loss;
		}
		Reason reason = this.pendingLoss;
		if (reason == null) {
			reason = (this.state == State.HELD) ? this.deadline.reason() : Reason.RELEASED;
		}
		return new LockLoss(this.held.key(), this.held.token(), reason);
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

	/** Records the loss and returns it. */
	LockLoss becomeLost(Reason reason, @Nullable Throwable cause) {
		LockLoss loss = new LockLoss(this.held.key(), this.held.token(), reason, cause);
		this.loss = loss;
		this.state = State.LOST;
		return loss;
	}

}
