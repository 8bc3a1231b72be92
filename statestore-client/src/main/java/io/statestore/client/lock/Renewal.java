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

/**
 * Renews a lease at a third of its length and on request. One renewal is in flight at a
 * time, and only while the key is known to be unchanged. Not thread-safe: handles one
 * event of the lease at a time.
 */
final class Renewal {

	/** Where the renewal stands. */
	enum Phase {

		/** Waiting until the next renewal is due. */
		IDLE,

		/** Due, and waiting for the check of the key. */
		CHECKING,

		/** In flight. */
		SENT

	}

	private static final Logger logger = LoggerFactory.getLogger(Renewal.class);

	/** Callers waiting for the next renewal. */
	private final List<CompletableFuture<Boolean>> waiters = new ArrayList<>();

	/** Callers waiting for the renewal in flight. */
	private List<CompletableFuture<Boolean>> served = List.of();

	private final HeldKey held;

	private final LeaseDeadline deadline;

	private final KeyGuard guard;

	private final Lease lease;

	private LockTerms terms;

	private Phase phase = Phase.IDLE;

	/** When the next renewal or the end of the check is due. */
	private long dueAt;

	/** Number of the latest request. Replies to earlier ones are ignored. */
	private int attempt;

	/** Whether the store may have executed a renewal without a reply reaching us. */
	private boolean inDoubt;

	/** Why the latest renewal failed, {@code null} if it was confirmed. */
	private @Nullable StateStoreException failure;

	private Runnable cancel = () -> {
	};

	Renewal(HeldKey held, LeaseDeadline deadline, KeyGuard guard, LockTerms terms, long sentAt, Lease lease) {
		this.held = held;
		this.deadline = deadline;
		this.guard = guard;
		this.terms = terms;
		this.lease = lease;
		this.dueAt = sentAt + terms.renewalInterval().toNanos();
	}

	LockTerms terms() {
		return this.terms;
	}

	long dueAt() {
		return this.dueAt;
	}

	boolean isInFlight() {
		return this.phase == Phase.SENT;
	}

	boolean isInDoubt() {
		return this.inDoubt;
	}

	@Nullable StateStoreException failure() {
		return this.failure;
	}

	/** Returns whether something is to be done at {@link #dueAt()}. */
	boolean isScheduled() {
		return this.phase != Phase.SENT && (this.terms.renewing() || !this.waiters.isEmpty());
	}

	/**
	 * Requests a renewal now.
	 * @param length of the lease from now on, {@code null} to keep it
	 */
	void request(@Nullable Duration length, CompletableFuture<Boolean> waiter) {
		if (length != null) {
			this.terms = new LockTerms(length, this.terms.renewing());
		}
		this.waiters.add(waiter);
		if (this.phase == Phase.IDLE) {
			this.dueAt = this.held.now();
		}
	}

	/** Returns whether something is to be done now. */
	boolean isDue() {
		return isScheduled() && this.held.now() - this.dueAt >= 0;
	}

	void tick() {
		if (!isDue()) {
			return;
		}
		if (this.phase == Phase.CHECKING) {
			this.phase = Phase.IDLE;
			this.served = takeWaiters();
			failed(new StateStoreNotSentException("Lock " + this.held.key() + " was not renewed: its key could not be "
					+ "checked within " + this.terms.renewalTimeout().toMillis() + " ms", this.failure));
			complete(this.served, false, this.failure);
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

	/** Continues after the check has found the key unchanged. */
	void unchanged() {
		if (this.phase == Phase.CHECKING) {
			send();
		}
	}

	/** Keeps the renewal in flight from being sent on the next connection. */
	void interrupted() {
		if (this.phase == Phase.SENT) {
			this.cancel.run();
			replied(this.attempt, 0, this.terms, null, new StateStoreOutcomeUnknownException(
					"The observation of lock " + this.held.key() + " was interrupted during a renewal"));
			// Not after a pause, so that the lock is renewed as soon as it was checked.
			this.dueAt = this.held.now();
		}
	}

	/** Ends all waits after the lease has ended. */
	void ended() {
		complete(this.served, false, null);
		complete(takeWaiters(), false, null);
	}

	/** Forgets the renewal in flight after an unexpected failure. */
	void broken() {
		this.attempt++;
		this.phase = Phase.IDLE;
		this.inDoubt = true;
	}

	private void send() {
		LockTerms terms = this.terms;
		long sentAt = this.held.now();
		this.deadline.requested(sentAt, terms);
		this.served = takeWaiters();
		this.phase = Phase.SENT;
		int attempt = ++this.attempt;
		this.cancel = this.held.store()
			.renew(this.held.holder(), terms.lease(), terms.renewalTimeout(),
					(result, failure) -> this.lease.submit(() -> replied(attempt, sentAt, terms, result, failure)));
	}

	private void replied(int attempt, long sentAt, LockTerms terms, @Nullable SetResult result,
			@Nullable StateStoreException failure) {
		if (attempt != this.attempt) {
			return;
		}
		this.attempt++;
		this.phase = Phase.IDLE;
		this.inDoubt |= (result != null) ? result.applied() : Outcomes.isUncertain(failure);
		if (this.lease.isHeld()) {
			if (result == null) {
				failed((failure != null) ? failure : new StateStoreException("No reply"));
			}
			else if (result.applied()) {
				confirmed(sentAt, terms, result);
			}
			else {
				this.lease.lost(Reason.TAKEN, null);
			}
		}
		boolean renewed = this.lease.isHeld();
		complete(this.served, renewed, renewed ? failure : null);
		this.lease.renewalEnded();
	}

	private void confirmed(long sentAt, LockTerms terms, SetResult result) {
		this.inDoubt = false;
		this.deadline.granted(sentAt, terms);
		this.guard.confirmed(result.version());
		this.dueAt = this.waiters.isEmpty() ? sentAt + terms.renewalInterval().toNanos() : this.held.now();
		if (this.failure != null) {
			this.failure = null;
			logger.info("Lock {} is renewed again", this.held.key());
		}
	}

	private void failed(StateStoreException failure) {
		if (failure instanceof StateStoreRefusedException refused && refused.reason() != ErrorReason.QUOTA_EXCEEDED) {
			this.lease.lost(Reason.REFUSED, failure);
			return;
		}
		if (this.failure == null && this.terms.renewing()) {
			warn(failure);
		}
		this.failure = failure;
		this.dueAt = this.held.now() + this.terms.renewalRetry().toNanos();
	}

	/** Records why the check of the key failed. */
	void checkFailed(StateStoreException failure) {
		if (this.failure == null) {
			warn(failure);
		}
		this.failure = failure;
	}

	/** Logs the first failure only, until a renewal is confirmed. */
	private void warn(StateStoreException failure) {
		logger.warn("Lock {} was not renewed; retrying for {} ms: {}", this.held.key(),
				Duration.ofNanos(Math.max(0, this.deadline.left())).toMillis(), failure.getMessage());
	}

	private List<CompletableFuture<Boolean>> takeWaiters() {
		List<CompletableFuture<Boolean>> waiters = List.copyOf(this.waiters);
		this.waiters.clear();
		return waiters;
	}

	private static void complete(List<CompletableFuture<Boolean>> waiters, boolean renewed,
			@Nullable StateStoreException failure) {
		for (CompletableFuture<Boolean> waiter : waiters) {
			if (failure != null) {
				waiter.completeExceptionally(failure);
			}
			else {
				waiter.complete(renewed);
			}
		}
	}

}
