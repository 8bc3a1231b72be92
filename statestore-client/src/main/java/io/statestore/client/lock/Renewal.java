package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.SetResult;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Renews a lease at a third of its length and on request. One renewal is in flight at a
 * time, and it is only sent while the key is known to be unchanged. Not thread-safe:
 * handles one event of the lease at a time.
 */
final class Renewal {

	enum Phase {

		/** The next renewal is not due yet. */
		IDLE,

		/** A renewal is due, and the check of the key is under way. */
		CHECKING,

		/** A renewal is in flight. */
		SENT

	}

	private static final Logger logger = LoggerFactory.getLogger(Renewal.class);

	/** Callers waiting for the next renewal. */
	private final List<CompletableFuture<Boolean>> callers = new ArrayList<>();

	/** Callers waiting for the renewal in flight. */
	private List<CompletableFuture<Boolean>> callersInFlight = List.of();

	private final HeldLock held;

	private final LeaseDeadline deadline;

	private final KeyGuard guard;

	private final SerialEvents events;

	private final Listener listener;

	private LockTerms terms;

	private Phase phase = Phase.IDLE;

	/** Time of the next renewal, or of the end of the check. */
	private long dueAt;

	/** Number of the latest request. Replies to earlier ones are ignored. */
	private int attempt;

	/** Whether a renewal with unknown outcome was sent since the last confirmed one. */
	private boolean possiblyApplied;

	/** Failure of the latest renewal, {@code null} if it was confirmed. */
	private @Nullable StateStoreException failure;

	private Runnable cancelRequest = () -> {
	};

	/**
	 * Creates the renewal of a lease.
	 * @param sentAt before the request was sent that acquired the lock
	 */
	Renewal(HeldLock held, LeaseDeadline deadline, KeyGuard guard, LockTerms terms, long sentAt, SerialEvents events,
			Listener listener) {
		this.held = held;
		this.deadline = deadline;
		this.guard = guard;
		this.terms = terms;
		this.events = events;
		this.listener = listener;
		this.dueAt = sentAt + terms.renewalInterval().toNanos();
	}

	/** Returns the terms of the next renewal. */
	LockTerms terms() {
		return this.terms;
	}

	/** Returns the time of the next step as a value of {@link LockTime#nanoTime()}. */
	long dueAt() {
		return this.dueAt;
	}

	boolean isInFlight() {
		return this.phase == Phase.SENT;
	}

	/**
	 * Returns whether the store may have applied a renewal that was not confirmed.
	 */
	boolean isPossiblyApplied() {
		return this.possiblyApplied;
	}

	/**
	 * Returns the failure of the latest renewal, or {@code null} if it was confirmed.
	 */
	@Nullable StateStoreException failure() {
		return this.failure;
	}

	/** Returns whether a step is due at {@link #dueAt()}. */
	boolean isScheduled() {
		boolean renewing = this.terms.renewing() && !this.deadline.isFinal();
		return this.phase != Phase.SENT && (renewing || !this.callers.isEmpty());
	}

	/**
	 * Requests a renewal now.
	 * @param length of the lease from now on, {@code null} to keep it
	 * @param caller completed with the outcome
	 */
	void request(@Nullable Duration length, CompletableFuture<Boolean> caller) {
		if (length != null) {
			this.terms = this.terms.withLease(length);
		}
		this.callers.add(caller);
		if (this.phase == Phase.IDLE) {
			this.dueAt = this.held.now();
		}
	}

	/** Returns whether a step is due now. */
	boolean isDue() {
		return isScheduled() && this.held.now() - this.dueAt >= 0;
	}

	/** Takes the next step if it is due. */
	void tick() {
		if (!isDue()) {
			return;
		}
		if (this.phase == Phase.CHECKING) {
			this.phase = Phase.IDLE;
			this.callersInFlight = takeCallers();
			failed(new StateStoreNotSentException("Lock " + this.held.key() + " was not renewed: its key could not be "
					+ "checked within " + this.terms.renewalTimeout().toMillis() + " ms", this.failure));
			complete(this.callersInFlight, false, this.failure);
		}
		else if (this.guard.isUnchanged()) {
			send();
		}
		else {
			this.phase = Phase.CHECKING;
			this.dueAt = this.held.now() + this.terms.renewalTimeout().toNanos();
			this.guard.check();
		}
	}

	/** Sends the renewal that was waiting for the check of the key. */
	void keyUnchanged() {
		if (this.phase == Phase.CHECKING) {
			send();
		}
	}

	/**
	 * Withdraws the renewal in flight, so that it is not sent on the next connection
	 * before the key is checked.
	 */
	void watchInterrupted() {
		if (this.phase == Phase.SENT) {
			this.cancelRequest.run();
			replied(this.attempt, 0, this.terms, null, new StateStoreOutcomeUnknownException(
					"The watch of lock " + this.held.key() + " was interrupted during a renewal"));
			// No pause, so that the lock is renewed as soon as the key is checked.
			this.dueAt = this.held.now();
		}
	}

	/** Completes the futures of all callers after the end of the lease. */
	void end() {
		complete(this.callersInFlight, false, null);
		complete(takeCallers(), false, null);
	}

	/** Ignores the reply to the renewal in flight after an unexpected failure. */
	void abandon() {
		this.attempt++;
		this.phase = Phase.IDLE;
		this.possiblyApplied = true;
	}

	private void send() {
		long sentAt = this.held.now();
		LockTerms terms = this.deadline.limit(sentAt, this.terms);
		this.deadline.requested(sentAt, terms);
		this.callersInFlight = takeCallers();
		this.phase = Phase.SENT;
		int attempt = ++this.attempt;
		this.cancelRequest = this.held.store()
			.renew(this.held.holder(), terms.lease(), terms.renewalTimeout(),
					(result, failure) -> this.events.submit(() -> replied(attempt, sentAt, terms, result, failure)));
	}

	private void replied(int attempt, long sentAt, LockTerms terms, @Nullable SetResult result,
			@Nullable StateStoreException failure) {
		if (attempt != this.attempt) {
			return;
		}
		this.attempt++;
		this.phase = Phase.IDLE;
		this.possiblyApplied |= (result != null) ? result.applied() : Outcomes.isUnknown(failure);
		if (this.listener.checkHeld()) {
			if (result == null) {
				failed((failure != null) ? failure : new StateStoreException("No reply"));
			}
			else if (result.applied()) {
				confirmed(sentAt, terms, result);
			}
			else {
				this.listener.lost(Reason.TAKEN, null);
			}
		}
		boolean renewed = this.listener.checkHeld();
		complete(this.callersInFlight, renewed, renewed ? failure : null);
		this.listener.renewalEnded();
	}

	private void confirmed(long sentAt, LockTerms terms, SetResult result) {
		this.held.monitor().renewed(Duration.ofNanos(this.held.now() - sentAt));
		this.possiblyApplied = false;
		this.deadline.granted(sentAt, terms);
		this.guard.confirmed(result.version());
		this.dueAt = this.callers.isEmpty() ? sentAt + terms.renewalInterval().toNanos() : this.held.now();
		if (this.failure != null) {
			this.failure = null;
			logger.atLevel(SuccessorKey.level(this.held.key(), Level.INFO))
				.log("{} is renewed again", SuccessorKey.describe(this.held.key()));
		}
	}

	private void failed(StateStoreException failure) {
		this.held.monitor().renewalFailed();
		if (failure instanceof StateStoreRefusedException refused && refused.reason() != ErrorReason.QUOTA_EXCEEDED) {
			this.listener.lost(Reason.REFUSED, failure);
			return;
		}
		if (this.failure == null && this.terms.renewing()) {
			warn(failure);
		}
		this.failure = failure;
		this.dueAt = this.held.now() + this.terms.renewalRetry().toNanos();
	}

	/** Records the failure of a check of the key. */
	void checkFailed(StateStoreException failure) {
		if (this.failure == null) {
			warn(failure);
		}
		this.failure = failure;
	}

	/** Logs a failure. Later ones are not logged until a renewal is confirmed. */
	private void warn(StateStoreException failure) {
		logger.atLevel(SuccessorKey.level(this.held.key(), Level.WARN))
			.log("{} was not renewed; retrying for {} ms: {}", SuccessorKey.describe(this.held.key()),
					Duration.ofNanos(Math.max(0, this.deadline.remaining())).toMillis(), failure.getMessage());
	}

	private List<CompletableFuture<Boolean>> takeCallers() {
		List<CompletableFuture<Boolean>> callers = List.copyOf(this.callers);
		this.callers.clear();
		return callers;
	}

	private static void complete(List<CompletableFuture<Boolean>> callers, boolean renewed,
			@Nullable StateStoreException failure) {
		for (CompletableFuture<Boolean> caller : callers) {
			if (failure != null) {
				caller.completeExceptionally(failure);
			}
			else {
				caller.complete(renewed);
			}
		}
	}

	/** Receives the results of renewals. */
	interface Listener {

		/**
		 * Loses the lock if its deadline is over.
		 * @return whether the lock is held
		 */
		boolean checkHeld();

		/** Ends the tenure with a loss, unless the lock is lost already. */
		void lost(Reason reason, @Nullable Throwable cause);

		/** Continues what was waiting for the renewal in flight. */
		void renewalEnded();

	}

}
