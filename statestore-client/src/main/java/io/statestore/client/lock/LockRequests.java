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
 * Requests of one acquisition, at most one at a time. All name the same holder, so a
 * request whose reply was lost in transit can be repeated: the store treats the second as
 * a renewal. If the lock may have been granted without a reply, closing deletes its key.
 * Not thread-safe: handles one event of the acquisition at a time.
 */
final class LockRequests {

	private static final Logger logger = LoggerFactory.getLogger(LockRequests.class);

	private final RequestedLock lock;

	private final WaitLimit limit;

	private final SerialEvents events;

	private final Replies replies;

	private boolean inFlight;

	/** Whether the lock may have been granted although no lease was returned. */
	private boolean possiblyGranted;

	/** Whether the store has ever replied that another holder has the lock. */
	private boolean answered;

	/** Number of consecutive failures. */
	private int failures;

	private @Nullable StateStoreException lastFailure;

	/** Action to run after the cleanup, {@code null} until the requests are closed. */
	private @Nullable Runnable onClosed;

	LockRequests(RequestedLock lock, WaitLimit limit, SerialEvents events, Replies replies) {
		this.lock = lock;
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

	/**
	 * Returns the latest failure, or {@code null} if the store has ever replied that
	 * another holder has the lock.
	 */
	@Nullable StateStoreException failureWithoutAnswer() {
		return this.answered ? null : this.lastFailure;
	}

	void send() {
		this.inFlight = true;
		LockTerms terms = this.lock.terms();
		long sentAt = this.lock.time().nanoTime();
		this.lock.store()
			.acquire(this.lock.holder(), terms.lease(),
					this.limit.replyTimeout(terms.replyTimeout(), !this.answered && this.failures == 0),
					(result, failure) -> this.events.submit(() -> replied(sentAt, result, failure)));
	}

	private void replied(long sentAt, @Nullable SetResult reply, @Nullable StateStoreException failure) {
		this.inFlight = false;
		if (this.onClosed != null) {
			this.possiblyGranted |= (reply == null) ? Outcomes.isUnknown(failure) : reply.applied();
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
			this.possiblyGranted = false;
			this.answered = true;
			this.failures = 0;
			this.replies.held(reply.version());
		}
	}

	private void granted(long sentAt, Version version) {
		Lease lease = new Lease(this.lock.granted(new FencingToken(version)), this.lock.terms(), sentAt);
		this.possiblyGranted = !lease.isValid();
		if (this.possiblyGranted) {
			// The reply took as long as the lease; the next request renews it.
			this.replies.grantedTooLate();
		}
		else {
			this.replies.granted(lease);
		}
	}

	private void failed(StateStoreException failure) {
		this.possiblyGranted |= Outcomes.isUnknown(failure);
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

	/** Ignores the reply to the request in flight after an unexpected failure. */
	void abandon() {
		this.inFlight = false;
		this.possiblyGranted = true;
	}

	/**
	 * Ends the requests. Waits for the one in flight, then deletes the key if the lock
	 * may have been granted.
	 * @param onClosed called after the deletion, whether it succeeded or failed
	 */
	void close(Runnable onClosed) {
		this.onClosed = onClosed;
		if (!this.inFlight) {
			cleanUp(onClosed);
		}
	}

	private void cleanUp(Runnable onClosed) {
		if (!this.possiblyGranted) {
			onClosed.run();
			return;
		}
		this.possiblyGranted = false;
		this.lock.store().delete(this.lock.holder(), this.lock.terms().replyTimeout(), (result, failure) -> {
			if (failure != null) {
				logger.debug("Lock {} may stay occupied for {}: its deletion failed", this.lock.key(),
						this.lock.terms().lease(), failure);
			}
			onClosed.run();
		});
	}

	/** Receives the replies to requests until these are closed. */
	interface Replies {

		/** Called when the lock was granted. */
		void granted(Lease lease);

		/** Called when the lease was over before the reply arrived. */
		void grantedTooLate();

		/**
		 * Called when another holder has the lock.
		 * @param stored version of its key
		 */
		void held(Version stored);

		/** Called when the request failed and may be repeated. */
		void failed(StateStoreException failure);

		/** Called when the request failed and would fail again. */
		void refused(StateStoreException failure);

	}

}
