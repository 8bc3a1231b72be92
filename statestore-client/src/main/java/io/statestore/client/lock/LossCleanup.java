package io.statestore.client.lock;

import java.util.concurrent.CompletableFuture;

import io.statestore.client.lock.LockLoss.Reason;

/**
 * Deletes the key of a lost lock if it may still name the lost holder. The holder is
 * unique, so the deletion cannot affect a later tenure. Not thread-safe: handles one
 * event of the lease at a time.
 */
final class LossCleanup {

	private final HeldLock held;

	/** Completed when no further request of the tenure will be sent. */
	private final CompletableFuture<Void> ended;

	/** Time before which the key is not deleted. */
	private volatile long keepUntil;

	/** Whether the holder has released the lock after its loss. */
	private boolean released;

	private boolean done;

	LossCleanup(HeldLock held, CompletableFuture<Void> ended, long keepUntil) {
		this.held = held;
		this.ended = ended;
		this.keepUntil = keepUntil;
	}

	/** Leaves the key in the store up to this time. May be called by any thread. */
	void keepUntil(long time) {
		this.keepUntil = time;
	}

	/**
	 * Records that the holder has released the lock after its loss.
	 * @param delete whether the key may be deleted
	 */
	void released(boolean delete) {
		this.released = delete;
	}

	/**
	 * Deletes the key if necessary.
	 * <p>
	 * After the deadline the key is left to expire, unless a renewal may have extended
	 * it. A key that is to be kept is also left to expire. After a stop of the registry
	 * the key stays until the holder has released the lock.
	 * @param possiblyRenewed whether a renewal with unknown outcome was sent
	 */
	void run(LockLoss loss, boolean possiblyRenewed, LockTerms terms) {
		if (this.done) {
			return;
		}
		if (loss.reason() == Reason.STOPPED && !this.released) {
			this.ended.complete(null);
			return;
		}
		this.done = true;
		boolean present = switch (loss.reason()) {
			case EXPIRED, HOLD_ENDED, DELETED, TAKEN -> possiblyRenewed;
			case UNCERTAIN, REFUSED, FENCED, STOPPED, ABANDONED, FORCED, RELEASED -> true;
		};
		boolean kept = this.keepUntil - this.held.now() > 0;
		if (present && !kept) {
			this.held.store()
				.delete(this.held.holder(), terms.replyTimeout(), (result, failure) -> this.ended.complete(null));
		}
		else {
			this.ended.complete(null);
		}
	}

}
