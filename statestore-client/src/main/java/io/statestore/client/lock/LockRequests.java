package io.statestore.client.lock;

import io.statestore.client.FencingToken;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests of one claim, at most one at a time. All name the same holder, so a request
 * whose reply was lost may be repeated: the store treats the second as a renewal.
 * Remembers whether the lock may have been granted without a reply, and deletes the key
 * in that case. Confined to the events of its acquisition.
 */
final class LockRequests {

	private static final Logger logger = LoggerFactory.getLogger(LockRequests.class);

	private final Claim claim;

	private final WaitLimit limit;

	private final SerialEvents events;

	private final Replies replies;

	private boolean inFlight;

	/** Whether the lock may have been granted without a reply. */
	private boolean uncertain;

	/** Whether the store has ever replied that another holder has the lock. */
	private boolean answered;

	/** Consecutive failures. */
	private int failures;

	private @Nullable StateStoreException lastFailure;

	/** Called after the cleanup, {@code null} until the requests are closed. */
	private @Nullable Runnable onClosed;

	LockRequests(Claim claim, WaitLimit limit, SerialEvents events, Replies replies) {
		this.claim = claim;
		this.limit = limit;
		this.events = events;
		this.replies = replies;
	}

	boolean isInFlight() {
		return this.inFlight;
	}

	int failures() {
		return this.failures;
	}

	/** Returns the latest failure if the store has never replied. */
	@Nullable StateStoreException failureWithoutAnswer() {
		return this.answered ? null : this.lastFailure;
	}

	void send() {
		this.inFlight = true;
		LockTerms terms = this.claim.terms();
		long sentAt = this.claim.time().nanoTime();
		this.claim.store()
			.acquire(this.claim.holder(), terms.lease(),
					this.limit.replyTimeout(terms.replyTimeout(), !this.answered && this.failures == 0),
					(result, failure) -> this.events.submit(() -> replied(sentAt, result, failure)));
	}

	private void replied(long sentAt, @Nullable SetResult reply, @Nullable StateStoreException failure) {
		this.inFlight = false;
		if (this.onClosed != null) {
			this.uncertain |= (reply == null) ? Outcomes.isUncertain(failure) : reply.applied();
			cleanUp(this.onClosed);
		}
		else if (reply == null) {
			failed((failure != null) ? failure : new StateStoreException("No reply"));
		}
		else if (reply.applied()) {
			granted(sentAt, reply.version());
		}
		else {
			// Another holder has the lock, so no earlier request was granted.
			this.uncertain = false;
			this.answered = true;
			this.failures = 0;
			this.replies.held(reply.version());
		}
	}

	private void granted(long sentAt, Version version) {
		Lease lease = new Lease(this.claim.key(), this.claim.store(), this.claim.time(), this.claim.terms(),
				this.claim.holder(), new FencingToken(version), sentAt);
		this.uncertain = !lease.isValid();
		if (this.uncertain) {
			// The reply took as long as the lease; the next request renews it.
			this.replies.grantedTooLate();
		}
		else {
			this.replies.granted(lease);
		}
	}

	private void failed(StateStoreException failure) {
		this.uncertain |= Outcomes.isUncertain(failure);
		this.lastFailure = failure;
		if (isTransient(failure)) {
			this.failures++;
			this.replies.failed(failure);
		}
		else {
			this.replies.refused(failure);
		}
	}

	private static boolean isTransient(StateStoreException failure) {
		return failure instanceof StateStoreNotSentException || failure instanceof StateStoreOutcomeUnknownException;
	}

	/** Handles an event that failed, after which a reply may never be processed. */
	void broken() {
		this.inFlight = false;
		this.uncertain = true;
	}

	/**
	 * Ends the requests. Once the one in flight is answered, deletes what may have been
	 * granted.
	 * @param onClosed called once nothing of these requests is left in the store, or the
	 * deletion has failed
	 */
	void close(Runnable onClosed) {
		this.onClosed = onClosed;
		if (!this.inFlight) {
			cleanUp(onClosed);
		}
	}

	private void cleanUp(Runnable onClosed) {
		if (!this.uncertain) {
			onClosed.run();
			return;
		}
		this.uncertain = false;
		this.claim.store().delete(this.claim.holder(), this.claim.terms().replyTimeout(), (result, failure) -> {
			if (failure != null) {
				logger.debug("Lock {} may stay taken for {}", this.claim.key(), this.claim.terms().lease(), failure);
			}
			onClosed.run();
		});
	}

	/** Receives the replies until the requests are closed. */
	interface Replies {

		/** The lock was granted. */
		void granted(Lease lease);

		/** The lock was granted, but the lease was over when the reply arrived. */
		void grantedTooLate();

		/**
		 * Another holder has the lock.
		 * @param stored version of its key
		 */
		void held(Version stored);

		/** The request failed and may be repeated. */
		void failed(StateStoreException failure);

		/** The request failed and would fail again. */
		void refused(StateStoreException failure);

	}

}
