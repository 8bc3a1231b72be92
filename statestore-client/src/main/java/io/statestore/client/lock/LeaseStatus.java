package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.DeleteResult;
import io.statestore.client.FencingToken;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.internal.SerialEvents;
import io.statestore.client.lock.LockLostEvent.Reason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Status of a lease: the deadline until which the holder may rely on it, and its end,
 * when the key of a released or lost lock is deleted. Only the lease's events change the
 * status. Any thread may read it without a request to the store.
 * <p>
 * The lease counts from just before its request was sent, and is shortened by a reserve
 * for clocks that run at different rates. The deadline therefore precedes the expiry in
 * the store. A maximum hold limits the deadline. Source: Gray and Cheriton 1989, "Leases:
 * An Efficient Fault-Tolerant Mechanism for Distributed File Cache Consistency".
 */
final class LeaseStatus {

	/**
	 * States of a lease. HELD is followed by LOST or RELEASING; RELEASING is followed by
	 * RELEASED or LOST.
	 */
	enum State {

		HELD, RELEASING, RELEASED, LOST

	}

	private static final Logger logger = LoggerFactory.getLogger(LeaseStatus.class);

	private final CompletableFuture<LockLostEvent> lost = new CompletableFuture<>();

	private final CompletableFuture<Boolean> released = new CompletableFuture<>();

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final RequestedLock lock;

	private final FencingToken token;

	private final SerialEvents events;

	/** Time at which the maximum hold ends, {@code null} for no limit. */
	private final @Nullable Long holdEnd;

	/**
	 * How much earlier the maximum hold ends for the holder than in the store, in
	 * nanoseconds.
	 */
	private final long reserve;

	/** Terms of the next renewal. */
	private volatile LockTerms terms;

	/**
	 * Whether a renewal with an unknown outcome was sent since the last confirmed
	 * renewal.
	 */
	private boolean possiblyRenewed;

	private volatile long deadline;

	private volatile State state = State.HELD;

	private volatile @Nullable LockLostEvent loss;

	/**
	 * Reason for a detected loss that has not been processed yet, {@code null} for none.
	 */
	private volatile @Nullable Reason pendingLoss;

	/** Time until which the key stays in the store, even after a release or loss. */
	private volatile long keptUntil;

	/**
	 * Whether the holder has released the lock, possibly after its loss. Accessed only by
	 * events, like the following fields.
	 */
	private boolean holderLeft;

	/** Whether a release with an unknown outcome was sent. */
	private boolean possiblyReleased;

	/** Whether the key of a lost lock was already deleted or left to expire. */
	private boolean cleanedUp;

	LeaseStatus(RequestedLock lock, FencingToken token, long sentAt, SerialEvents events) {
		LockTerms terms = lock.terms();
		this.lock = lock;
		this.terms = terms;
		this.token = token;
		this.events = events;
		this.keptUntil = sentAt;
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

	boolean isValid() {
		return this.state == State.HELD && this.pendingLoss == null && nanosLeft() > 0;
	}

	/**
	 * Requires that the lock is currently held.
	 * @throws LockLostException if it is lost or released
	 */
	void requireValid() {
		if (!isValid()) {
			throw new LockLostException(lossOrEnd());
		}
	}

	/**
	 * Returns how long the holder may still rely on the lease, zero after a loss or
	 * release.
	 */
	Duration remaining() {
		return isValid() ? Duration.ofNanos(Math.max(0, nanosLeft())) : Duration.ZERO;
	}

	/** Returns the nanoseconds until the deadline, negative if it has passed. */
	long nanosLeft() {
		return this.deadline - this.lock.time().nanoTime();
	}

	/** Returns whether the deadline cannot be extended by a renewal. */
	boolean isFinal() {
		return this.holdEnd != null && this.deadline - this.holdEnd + this.reserve >= 0;
	}

	/** Returns the reason to report if the lock is lost at the deadline. */
	Reason reasonAtDeadline() {
		return isFinal() ? Reason.HOLD_ENDED : Reason.EXPIRED;
	}

	/** Returns a future that completes with the loss, if the lock is lost. */
	CompletableFuture<LockLostEvent> lost() {
		return this.lost;
	}

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

	LockTerms terms() {
		return this.terms;
	}

	void changeLease(Duration lease) {
		this.terms = this.terms.withLease(lease);
	}

	void becomePossiblyRenewed() {
		this.possiblyRenewed = true;
	}

	/**
	 * Returns the terms for a renewal sent at the given time, limited by the maximum
	 * hold. If the requested lease would end earlier, moves the deadline to that earlier
	 * time, because the store may grant the lease without its reply reaching the holder.
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

	/** Sets the deadline after a request sent at the given time was granted. */
	void granted(long sentAt, LockTerms terms) {
		this.possiblyRenewed = false;
		this.deadline = deadline(sentAt, terms);
	}

	/**
	 * Makes the lock invalid immediately, because of a loss that has not been processed
	 * yet.
	 */
	void announceLoss(Reason reason) {
		this.pendingLoss = reason;
	}

	void becomeReleasing() {
		this.state = State.RELEASING;
	}

	/** Ends the tenure with a loss, unless it has ended. */
	void becomeLost(Reason reason, @Nullable Throwable cause) {
		if (this.state == State.HELD || this.state == State.RELEASING) {
			LockLostEvent loss = new LockLostEvent(this.lock.key(), this.token, reason, cause);
			this.loss = loss;
			this.state = State.LOST;
			this.lock.monitors().measured((monitor) -> monitor.lost(reason));
			this.lost.complete(loss);
			this.released.complete(false);
		}
	}

	/** Keeps the key in the store until the given time. May be called by any thread. */
	void keepUntil(long time) {
		this.keptUntil = time;
	}

	/** Returns a future of whether the lock was held until its release. */
	CompletableFuture<Boolean> released() {
		return this.released;
	}

	/** Returns a future that completes after the last request of the tenure. */
	CompletableFuture<Void> ended() {
		return this.ended;
	}

	void holderLeft() {
		this.holderLeft = true;
	}

	void stopWaiting() {
		if (this.holderLeft) {
			this.released.complete(true);
		}
	}

	/** Ends a tenure whose lock was released or lost. */
	void proceedToEnd() {
		LockLostEvent loss = this.loss;
		if (loss != null) {
			cleanUp(loss.reason());
		}
		else if (this.state == State.RELEASING) {
			release();
		}
	}

	private long nanosKept() {
		return this.keptUntil - this.lock.time().nanoTime();
	}

	private boolean isKept() {
		return nanosKept() > 0;
	}

	/**
	 * Deletes the key, unless it must be kept. Repeats the request until the lease's
	 * deadline if there is no reply.
	 */
	private void release() {
		if (isKept()) {
			releaseKept();
			return;
		}
		this.lock.store().delete(this.lock.holder(), releaseTimeout(), (reply, failure) -> this.events.submit(() -> {
			if (reply != null) {
				answered(reply.outcome());
			}
			else {
				unanswered(failure);
			}
		}));
	}

	/**
	 * Lets the key expire if that happens before the time to keep it ends. Otherwise,
	 * deletes the key at the end of that time.
	 */
	private void releaseKept() {
		if (!this.possiblyRenewed && nanosLeft() <= nanosKept()) {
			end();
			return;
		}
		this.released.complete(true);
		// The key may have expired by then.
		this.possiblyReleased = true;
		this.lock.time().schedule(Duration.ofNanos(nanosKept()), () -> this.events.submit(this::release));
	}

	/**
	 * Returns the timeout for deleting the key, which ends with the lease if the holder
	 * waits for the reply.
	 */
	private Duration releaseTimeout() {
		Duration timeout = this.lock.terms().replyTimeout();
		Duration left = Duration.ofNanos(Math.max(0, nanosLeft()));
		return this.released.isDone() ? timeout : LockTerms.atLeastOneMilli(LockTerms.min(left, timeout));
	}

	private void answered(DeleteResult.Outcome outcome) {
		if (outcome == DeleteResult.Outcome.DELETED || this.possiblyReleased) {
			end();
			return;
		}
		Reason found = (outcome == DeleteResult.Outcome.ABSENT) ? Reason.DELETED : Reason.TAKEN;
		// After the deadline, the key may be absent because it has expired.
		becomeLost((nanosLeft() > 0) ? found : reasonAtDeadline(), null);
		proceedToEnd();
	}

	private void unanswered(@Nullable StateStoreException failure) {
		this.possiblyReleased |= !(failure instanceof StateStoreNotSentException);
		if (this.released.complete(true)) {
			this.lock.log(logger, Level.WARN,
					"{} was released without a confirmation. The store removes it at the end of its lease, in {}: {}",
					this.terms.lease(), (failure != null) ? failure.getMessage() : "no reply");
		}
		if (nanosLeft() > 0) {
			this.lock.time().schedule(this.lock.terms().renewalRetry(), () -> this.events.submit(this::release));
		}
		else {
			end();
		}
	}

	private void end() {
		this.state = State.RELEASED;
		this.released.complete(true);
		this.ended.complete(null);
	}

	/**
	 * Deletes a lost lock's key if it may still name this holder. The deletion cannot
	 * affect other holders, because holder names are unique.
	 * <p>
	 * After the deadline, the key is left to expire, unless a renewal may have extended
	 * it. A key that must be kept is also left to expire. If the registry was stopped,
	 * the key stays until the holder has released the lock.
	 */
	private void cleanUp(Reason reason) {
		if (this.cleanedUp) {
			return;
		}
		boolean present = switch (reason) {
			case EXPIRED, HOLD_ENDED, DELETED, TAKEN -> this.possiblyRenewed;
			case STOPPED -> this.holderLeft;
			case UNCERTAIN, REFUSED, FENCED, ABANDONED, FORCED, RELEASED -> true;
		};
		this.cleanedUp = reason != Reason.STOPPED || this.holderLeft;
		if (present && !isKept()) {
			this.lock.store()
				.delete(this.lock.holder(), this.terms.replyTimeout(), (result, failure) -> this.ended.complete(null));
		}
		else {
			this.ended.complete(null);
		}
	}

	/** Ends the tenure after an event failed unexpectedly. */
	void eventFailed(Throwable failure) {
		becomeLost(Reason.EXPIRED, failure);
		this.released.complete(false);
		this.ended.complete(null);
	}

}
