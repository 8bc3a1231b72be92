package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.DeleteResult;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.internal.SerialEvents;
import io.statestore.client.lock.LeaseStatus.State;
import io.statestore.client.lock.LockLostEvent.Reason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * End of a tenure: deletes the key of a lock that was released or lost. A lease hands its
 * events over once the lock is no longer held. Not thread-safe: handles one event of the
 * lease at a time.
 */
final class LeaseEnd {

	private static final Logger logger = LoggerFactory.getLogger(LeaseEnd.class);

	private final CompletableFuture<Boolean> released = new CompletableFuture<>();

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final RequestedLock lock;

	private final LeaseStatus status;

	private final SerialEvents events;

	/** Time before which the key stays in the store despite a release or loss. */
	private volatile long keptUntil;

	/** Whether the holder has released the lock, possibly after its loss. */
	private boolean holderLeft;

	/** Whether a release with unknown outcome was sent. */
	private boolean possiblyReleased;

	/** Whether the key of a lost lock was deleted, or left to expire. */
	private boolean cleanedUp;

	LeaseEnd(RequestedLock lock, LeaseStatus status, SerialEvents events, long keptUntil) {
		this.lock = lock;
		this.status = status;
		this.events = events;
		this.keptUntil = keptUntil;
	}

	/** Leaves the key in the store up to this time. May be called by any thread. */
	void keepUntil(long time) {
		this.keptUntil = time;
	}

	/** Returns a future with whether the lock was held up to its release. */
	CompletableFuture<Boolean> released() {
		return this.released;
	}

	/** Returns a future that completes after the last request of the tenure. */
	CompletableFuture<Void> ended() {
		return this.ended;
	}

	/** Records that the holder has released the lock, possibly after its loss. */
	void holderLeft() {
		this.holderLeft = true;
	}

	/** Lets the holder continue without a confirmation of its release. */
	void stopWaiting() {
		if (this.holderLeft) {
			this.released.complete(true);
		}
	}

	/** Continues after the lock was released or lost. */
	void proceed() {
		LockLostEvent loss = this.status.loss();
		if (loss != null) {
			this.released.complete(false);
			cleanUp(loss.reason());
		}
		else if (this.status.state() == State.RELEASING) {
			release();
		}
	}

	private long nanosKept() {
		return this.keptUntil - this.lock.time().nanoTime();
	}

	private boolean isKept() {
		return nanosKept() > 0;
	}

	/** Repeats a request without a reply up to the deadline of the lease. */
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

	/** Lets the key expire, or deletes it later if it may not expire in time. */
	private void releaseKept() {
		if (!this.status.isPossiblyRenewed() && this.status.nanosLeft() <= nanosKept()) {
			end();
			return;
		}
		this.released.complete(true);
		// The key may have expired by then.
		this.possiblyReleased = true;
		this.lock.time().schedule(Duration.ofNanos(nanosKept()), () -> this.events.submit(this::release));
	}

	/** Returns a timeout within the lease, unless the holder does not wait. */
	private Duration releaseTimeout() {
		Duration timeout = this.lock.terms().replyTimeout();
		Duration left = Duration.ofNanos(Math.max(0, this.status.nanosLeft()));
		return this.released.isDone() ? timeout : LockTerms.atLeastOneMilli(LockTerms.min(left, timeout));
	}

	private void answered(DeleteResult.Outcome outcome) {
		if (outcome == DeleteResult.Outcome.DELETED || this.possiblyReleased) {
			end();
			return;
		}
		Reason found = (outcome == DeleteResult.Outcome.ABSENT) ? Reason.DELETED : Reason.TAKEN;
		// After the deadline the key may be absent because it has expired.
		this.status.becomeLost((this.status.nanosLeft() > 0) ? found : this.status.reasonAtDeadline(), null);
		proceed();
	}

	private void unanswered(@Nullable StateStoreException failure) {
		this.possiblyReleased |= !(failure instanceof StateStoreNotSentException);
		if (this.released.complete(true)) {
			this.lock.log(logger, Level.WARN,
					"{} was released without a confirmation. The store removes it at the end of its lease, in {}: {}",
					this.status.terms().lease(), (failure != null) ? failure.getMessage() : "no reply");
		}
		if (this.status.nanosLeft() > 0) {
			this.lock.time().schedule(this.lock.terms().renewalRetry(), () -> this.events.submit(this::release));
		}
		else {
			end();
		}
	}

	private void end() {
		this.status.becomeReleased();
		this.released.complete(true);
		this.ended.complete(null);
	}

	/**
	 * Deletes the key of a lost lock if it may still name the holder, which is unique.
	 * <p>
	 * After the deadline the key is left to expire, unless a renewal may have extended
	 * it. A key that is to be kept is also left to expire. After a stop of the registry
	 * the key stays until the holder has released the lock.
	 */
	private void cleanUp(Reason reason) {
		if (this.cleanedUp) {
			return;
		}
		boolean present = switch (reason) {
			case EXPIRED, HOLD_ENDED, DELETED, TAKEN -> this.status.isPossiblyRenewed();
			case STOPPED -> this.holderLeft;
			case UNCERTAIN, REFUSED, FENCED, ABANDONED, FORCED, RELEASED -> true;
		};
		this.cleanedUp = reason != Reason.STOPPED || this.holderLeft;
		if (present && !isKept()) {
			this.lock.store()
				.delete(this.lock.holder(), this.status.terms().replyTimeout(),
						(result, failure) -> this.ended.complete(null));
		}
		else {
			this.ended.complete(null);
		}
	}

	/** Ends the tenure after an unexpected failure. */
	void eventFailed(Throwable failure) {
		this.status.becomeLost(Reason.EXPIRED, failure);
		this.released.complete(false);
		this.ended.complete(null);
	}

}
