package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.statestore.client.Entry;
import io.statestore.client.FencingToken;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyWatch;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.internal.LockMonitors;
import io.statestore.client.internal.SerialEvents;
import io.statestore.client.lock.LeaseStatus.State;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.client.lock.LockStore.Callback;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A lock's tenure, from its acquisition to its release or loss (protocol section 7,
 * numbers 4 and 6). It is a state machine that processes one event at a time and has at
 * most one request in flight. An event records what has happened; {@link #proceed()} then
 * decides on the next step.
 * <p>
 * Every event checks the deadline first, so a process that was paused detects a loss
 * before it could renew the lock. The lease is renewed after a third of its duration and
 * on request, while {@link KeyEvidence} shows that the key is unchanged.
 */
final class Lease {

	private enum Request {

		NONE, READ, RENEWAL

	}

	private static final Logger logger = LoggerFactory.getLogger(Lease.class);

	private final SerialEvents events = new SerialEvents("a lock", this::eventFailed);

	/** Completes when the release begins or the lock is lost. */
	private final CompletableFuture<Void> over = new CompletableFuture<>();

	/** Callers waiting for the next renewal. */
	private final List<CompletableFuture<Boolean>> renewals = new ArrayList<>();

	/** Callers waiting for the renewal in flight. */
	private final List<CompletableFuture<Boolean>> renewalsInFlight = new ArrayList<>();

	private final RequestedLock lock;

	private final LeaseStatus status;

	private final KeyEvidence evidence;

	private Request inFlight = Request.NONE;

	/** Number of the latest request. Replies to earlier requests are ignored. */
	private int requests;

	/** Time of the next renewal. */
	private long dueAt;

	/**
	 * Deadline for confirming that the key is unchanged, {@code null} if no renewal waits
	 * for this.
	 */
	private @Nullable Long checkedBy;

	/** Earliest time at which the key is read again. */
	private long readableAt;

	/** Failure of the latest renewal, {@code null} if it was confirmed. */
	private @Nullable StateStoreException failure;

	private volatile BooleanSupplier renewalCondition = () -> true;

	private Runnable cancelTick = () -> {
	};

	private Runnable cancelRenewal = () -> {
	};

	private Runnable closeWatch = () -> {
	};

	/**
	 * Creates a lease.
	 * @param sentAt time just before the acquiring request was sent
	 */
	Lease(RequestedLock lock, FencingToken token, long sentAt) {
		this.lock = lock;
		this.status = new LeaseStatus(lock, token, sentAt, this.events);
		this.evidence = new KeyEvidence(lock.holder(), token.version());
		this.dueAt = sentAt + lock.terms().renewalInterval().toNanos();
	}

	void start() {
		this.events.submit(this::proceed);
	}

	/** Renews the lease only while this condition holds. The condition must not block. */
	void renewWhile(BooleanSupplier condition) {
		this.renewalCondition = condition;
	}

	/** Keeps the key in the store until the given time, even after a release or loss. */
	void keepUntil(long time) {
		this.status.keepUntil(time);
	}

	RequestedLock lock() {
		return this.lock;
	}

	LeaseStatus status() {
		return this.status;
	}

	/** Adds a listener that must not block. It is called immediately after a loss. */
	void onLost(Consumer<LockLostEvent> listener) {
		this.status.lost().thenAccept(listener);
	}

	/** Returns a future that completes when the lock is released or lost. */
	CompletableFuture<Void> over() {
		return this.over;
	}

	/** Returns a future that completes after the last request of this tenure. */
	CompletableFuture<Void> ended() {
		return this.status.ended();
	}

	/** Starts to watch the key now instead of at the first renewal. */
	void watch() {
		this.events.submit(() -> {
			if (checkHeld()) {
				startWatch();
			}
		});
	}

	/**
	 * Renews the lease now.
	 * @param length new lease duration, {@code null} to keep the current duration
	 * @return a future of whether the lease was renewed; {@code false} if the lock is
	 * lost or released. Fails with a {@link StateStoreException} if the request fails
	 * while the lock is held
	 */
	CompletableFuture<Boolean> renew(@Nullable Duration length) {
		CompletableFuture<Boolean> renewed = new CompletableFuture<>();
		this.events.submit(() -> {
			if (!checkHeld()) {
				renewed.complete(false);
				return;
			}
			if (length != null) {
				this.status.changeLease(length);
			}
			this.renewals.add(renewed);
			this.dueAt = now();
			proceed();
		});
		return renewed;
	}

	/**
	 * Checks whether the lock is still held after the store refused its token. The lock
	 * is lost unless its key still names this holder.
	 * @return a future of whether the lock is still held
	 */
	CompletableFuture<Boolean> verify() {
		CompletableFuture<Boolean> verified = new CompletableFuture<>();
		this.events.submit(() -> this.lock.store().read(this.status.terms().renewalTimeout(), (entry, failure) -> {
			if (entry == null || this.evidence.loss(entry) != null) {
				lose(Reason.FENCED);
			}
			verified.complete(this.status.isValid());
		}));
		return verified;
	}

	/**
	 * Ends the tenure. The store keeps the lock until the time set by {@link #keepUntil}.
	 * @return a future of whether the lock was held until its release, as far as is known
	 */
	CompletableFuture<Boolean> release() {
		this.events.submit(() -> {
			this.status.holderLeft();
			if (checkHeld()) {
				this.status.becomeReleasing();
				endActivity();
				proceed();
			}
			else if (this.status.loss() != null) {
				proceed();
			}
		});
		return this.status.released();
	}

	/** Lets callers that wait for the release continue without a confirmation. */
	void stopWaiting() {
		this.events.submit(this.status::stopWaiting);
	}

	/** Ends the tenure because of a loss detected outside of this state machine. */
	void lose(Reason reason) {
		this.status.announceLoss(reason);
		this.events.submit(() -> {
			if (checkHeld()) {
				lost(reason, null);
			}
		});
	}

	private long now() {
		return this.lock.time().nanoTime();
	}

	private boolean checkHeld() {
		if (this.status.state() == State.HELD && this.status.nanosLeft() <= 0) {
			lost(this.status.reasonAtDeadline(), this.failure);
		}
		return this.status.state() == State.HELD;
	}

	private void proceed() {
		if (checkHeld()) {
			hold();
		}
		else if (this.inFlight == Request.NONE) {
			// Wait for any request in flight, because a renewal could overtake the
			// deletion of the key.
			this.status.proceedToEnd();
		}
	}

	private void hold() {
		if (isDue() && !this.renewalCondition.getAsBoolean()) {
			lost(Reason.ABANDONED, null);
			return;
		}
		if (this.checkedBy != null && now() - this.checkedBy >= 0) {
			checkTimedOut();
		}
		if (this.inFlight == Request.NONE && this.evidence.isUnchanged()) {
			if (isDue()) {
				sendRenewal();
			}
			this.evidence.used();
		}
		else if (this.inFlight != Request.RENEWAL) {
			checkKey();
		}
		scheduleTick();
	}

	private boolean isRenewing() {
		return !this.renewals.isEmpty() || (this.status.terms().renewing() && !this.status.isFinal());
	}

	private boolean isDue() {
		return this.inFlight != Request.RENEWAL && isRenewing() && now() - this.dueAt >= 0;
	}

	private void scheduleTick() {
		long now = now();
		long delay = this.status.nanosLeft();
		if (this.checkedBy != null) {
			delay = Math.min(delay, this.checkedBy - now);
		}
		else if (this.inFlight != Request.RENEWAL && isRenewing()) {
			delay = Math.min(delay, this.dueAt - now);
		}
		if (this.inFlight == Request.NONE && this.readableAt - now > 0) {
			delay = Math.min(delay, this.readableAt - now);
		}
		this.cancelTick.run();
		this.cancelTick = this.lock.time()
			.schedule(Duration.ofNanos(Math.max(0, delay)), () -> this.events.submit(this::proceed));
	}

	/**
	 * Registers a request. Returns a callback that submits the reply as an event, and
	 * ignores the reply if it arrives too late.
	 */
	private <T> Callback<T> request(Request request, Callback<T> reply) {
		this.inFlight = request;
		int number = ++this.requests;
		return (result, failure) -> this.events.submit(() -> {
			if (number == this.requests) {
				abandonRequest();
				reply.done(result, failure);
			}
		});
	}

	/** Ignores the reply to the request in flight. */
	private void abandonRequest() {
		this.inFlight = Request.NONE;
		this.requests++;
	}

	/** Watches or reads the key if the next step requires it. */
	private void checkKey() {
		if (isDue() && this.checkedBy == null) {
			this.checkedBy = now() + this.status.terms().renewalTimeout().toNanos();
		}
		if (this.checkedBy != null) {
			startWatch();
		}
		if (this.evidence.isReadable(this.checkedBy != null)) {
			read();
		}
	}

	private void startWatch() {
		if (!this.evidence.isWatched()) {
			this.evidence.watched(KeyWatch.State.INTERRUPTED);
			this.closeWatch = this.lock.store()
				.watch((state) -> this.events.submit(() -> watched(state)),
						(change) -> this.events.submit(() -> changed(change)));
		}
	}

	private void read() {
		if (this.inFlight == Request.NONE && now() - this.readableAt >= 0) {
			this.evidence.reading();
			this.lock.store().read(this.status.terms().renewalTimeout(), request(Request.READ, this::read));
		}
	}

	private void read(@Nullable Optional<Entry<Bytes>> entry, @Nullable StateStoreException failure) {
		if (!checkHeld()) {
			return;
		}
		if (entry == null) {
			this.readableAt = now() + this.status.terms().renewalRetry().toNanos();
			failedToRenew(Objects.requireNonNull(failure));
		}
		else {
			loseKey(this.evidence.read(entry));
		}
		proceed();
	}

	private void watched(KeyWatch.State state) {
		if (!checkHeld()) {
			return;
		}
		this.evidence.watched(state);
		this.readableAt = now();
		if (this.inFlight == Request.READ) {
			abandonRequest();
		}
		else if (state == KeyWatch.State.INTERRUPTED && this.inFlight == Request.RENEWAL) {
			withdrawRenewal();
		}
		proceed();
	}

	private void changed(KeyChange<Bytes> change) {
		if (checkHeld()) {
			loseKey(this.evidence.changed(change));
			proceed();
		}
	}

	private void loseKey(@Nullable Reason reason) {
		if (reason != null) {
			lost(reason, null);
		}
	}

	private void beginRenewal() {
		this.checkedBy = null;
		this.renewalsInFlight.addAll(this.renewals);
		this.renewals.clear();
	}

	private void checkTimedOut() {
		beginRenewal();
		renewalFailed(new StateStoreNotSentException("Lock " + this.lock.key() + " was not renewed: its key could not "
				+ "be checked within " + this.status.terms().renewalTimeout().toMillis() + " ms", this.failure));
		complete(this.renewalsInFlight, false, this.failure);
	}

	private void sendRenewal() {
		long sentAt = now();
		LockTerms sent = this.status.requested(sentAt);
		beginRenewal();
		this.cancelRenewal = this.lock.store()
			.renew(this.lock.holder(), sent.lease(), sent.renewalTimeout(),
					request(Request.RENEWAL, (result, failure) -> renewed(sentAt, sent, result, failure)));
	}

	/**
	 * Withdraws the renewal in flight, so that it is not sent over the next connection
	 * before the key is checked.
	 */
	private void withdrawRenewal() {
		abandonRequest();
		this.cancelRenewal.run();
		renewed(0, this.status.terms(), null, new StateStoreOutcomeUnknownException(
				"The watch of lock " + this.lock.key() + " was interrupted during a renewal"));
		// Do not pause, so that the lock is renewed as soon as the key is checked.
		this.dueAt = now();
	}

	private void renewed(long sentAt, LockTerms sent, @Nullable SetResult result,
			@Nullable StateStoreException failure) {
		if ((result != null) ? result.applied() : LockStore.isPossiblyApplied(failure)) {
			this.status.becomePossiblyRenewed();
		}
		if (checkHeld()) {
			if (result == null) {
				renewalFailed(Objects.requireNonNull(failure));
			}
			else if (result.applied()) {
				renewed(sentAt, sent, result);
			}
			else {
				lost(Reason.TAKEN, null);
			}
		}
		boolean renewed = checkHeld();
		complete(this.renewalsInFlight, renewed, renewed ? failure : null);
		proceed();
	}

	private void renewed(long sentAt, LockTerms sent, SetResult result) {
		Duration latency = Duration.ofNanos(now() - sentAt);
		this.lock.monitors().measured((monitor) -> monitor.renewed(latency));
		this.status.granted(sentAt, sent);
		this.evidence.confirmed(result.version());
		this.dueAt = this.renewals.isEmpty() ? sentAt + sent.renewalInterval().toNanos() : now();
		if (this.failure != null) {
			this.failure = null;
			this.lock.log(logger, Level.INFO, "{} is renewed again");
		}
	}

	private void renewalFailed(StateStoreException failure) {
		this.lock.monitors().measured(LockMonitors.Monitor::renewalFailed);
		if (failure instanceof StateStoreRefusedException refused && refused.reason() != ErrorReason.QUOTA_EXCEEDED) {
			lost(Reason.REFUSED, failure);
			return;
		}
		failedToRenew(failure);
		this.dueAt = now() + this.status.terms().renewalRetry().toNanos();
	}

	/**
	 * Records a failure and logs it. Later failures are not logged until a renewal is
	 * confirmed. A failure that follows from a refusal is recorded as that refusal, which
	 * the operator can fix.
	 */
	private void failedToRenew(StateStoreException failure) {
		if (this.failure == null && this.status.terms().renewing()) {
			this.lock.log(logger, Level.WARN, "{} was not renewed; retrying for {} ms: {}",
					this.status.remaining().toMillis(), failure.getMessage());
		}
		this.failure = (failure.getCause() instanceof StateStoreRefusedException refusal) ? refusal : failure;
	}

	private static void complete(List<CompletableFuture<Boolean>> callers, boolean result,
			@Nullable StateStoreException failure) {
		List<CompletableFuture<Boolean>> completed = List.copyOf(callers);
		callers.clear();
		for (CompletableFuture<Boolean> caller : completed) {
			if (failure != null) {
				caller.completeExceptionally(failure);
			}
			else {
				caller.complete(result);
			}
		}
	}

	private void lost(Reason reason, @Nullable Throwable cause) {
		this.status.becomeLost(reason, cause);
		endActivity();
		proceed();
	}

	private void endActivity() {
		// Complete these first, so that no thread waits forever if a later step fails.
		complete(this.renewalsInFlight, false, null);
		complete(this.renewals, false, null);
		this.over.complete(null);
		if (this.inFlight == Request.READ) {
			abandonRequest();
		}
		this.cancelTick.run();
		this.closeWatch.run();
	}

	/**
	 * Declares the lock lost after an unexpected failure, because it is no longer
	 * renewed.
	 */
	private void eventFailed(Throwable failure) {
		abandonRequest();
		this.status.becomePossiblyRenewed();
		if (this.status.state() == State.HELD) {
			lost(Reason.EXPIRED, failure);
		}
		else {
			this.status.eventFailed(failure);
		}
	}

}
