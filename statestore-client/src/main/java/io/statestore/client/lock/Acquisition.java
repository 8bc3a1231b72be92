package io.statestore.client.lock;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.internal.SerialEvents;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process's attempt to acquire a lock (protocol section 7, numbers 4 and 5). It starts
 * with the first request, and ends with a {@link Lease}, a timeout, a failure, or a
 * cancellation by the caller. It is a state machine (see {@link Phase}) that processes
 * one event at a time and has at most one request in flight.
 * <p>
 * All requests name the same holder, so a request whose reply was lost in transit can be
 * repeated: the store treats the repetition as a renewal.
 * <p>
 * A waiter whose first request finds the lock held requests the <em>successor lock</em>.
 * Of all processes that wait for a lock, only the successor lock's holder, the
 * <em>successor</em>, watches and requests the lock itself. The other processes wait for
 * the successor lock, so a release causes few requests, however many processes wait. This
 * avoids the "herd effect" (Hunt et al. 2010, "ZooKeeper: Wait-free Coordination for
 * Internet-scale Systems", section 2.4). The remedy described there, a queue of
 * sequential keys, needs an operation that the protocol does not have.
 * <p>
 * A waiter for a successor lock hesitates: after a release, it pauses for a random time,
 * and then requests the successor lock only if no other waiter was faster.
 */
final class Acquisition {

	/** Phases of an attempt, in order. COMPETING and OBSERVING may be skipped. */
	enum Phase {

		/**
		 * The lock was requested. The store has not yet replied that another holder has
		 * it.
		 */
		REQUESTING,

		/** The successor lock was requested and has not been granted yet. */
		COMPETING,

		/** The lock is watched, and requested as soon as it is released. */
		OBSERVING,

		/** The attempt has ended, and its result is known. */
		ENDED

	}

	private static final Logger logger = LoggerFactory.getLogger(Acquisition.class);

	/** Pause after the first failure. It doubles with each consecutive failure. */
	private static final Duration FIRST_RETRY = Duration.ofMillis(50);

	private static final Duration MAX_RETRY = Duration.ofSeconds(1);

	private static final Duration MAX_COMPETING = Duration.ofMinutes(1);

	private static final Duration MAX_HESITATION = Duration.ofMillis(20);

	/**
	 * How long a successor lock can keep its version. It is renewed or expires sooner, so
	 * a value that stays unchanged for longer is not a successor lock.
	 */
	private static final Duration MAX_UNCHANGED = LockTerms.MAX_SUCCESSOR_LEASE.plusSeconds(1);

	private final SerialEvents events = new SerialEvents("a lock", this::eventFailed);

	private final CompletableFuture<@Nullable Lease> result = new CompletableFuture<>();

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final RequestedLock lock;

	/**
	 * Returns the successor lock; {@code null} if this acquisition is for a successor
	 * lock.
	 */
	private final @Nullable Supplier<RequestedLock> successorLock;

	private final WaitLimit limit;

	private Phase phase = Phase.REQUESTING;

	private boolean inFlight;

	/** Whether the store may have granted the lock although no lease was returned. */
	private boolean possiblyGranted;

	/** Whether the store has replied, at least once, that another holder has the lock. */
	private boolean answered;

	private int failures;

	private @Nullable StateStoreException lastFailure;

	/** Attempt to acquire the successor lock, {@code null} until it is requested. */
	private @Nullable Acquisition successor;

	private Runnable closeWatch = () -> {
	};

	/** Whether the watch currently delivers changes of the lock. */
	private boolean watched;

	/** Whether the watch has ever been active. */
	private boolean everWatched;

	/** Whether the latest notification showed another holder. */
	private boolean heldByOther;

	/** Whether the watch began during the request in flight. */
	private boolean watchedMeanwhile;

	/** Latest release that the watch reported during the request in flight. */
	private @Nullable KeyChange<Bytes> releasedMeanwhile;

	/** Time of the latest release, or when the wait began. */
	private long releasedAt;

	/** Version of the key in the latest reply that the lock is held. */
	private @Nullable Version stored;

	/** Time of the first such reply with the {@link #stored} version. */
	private long storedSince;

	private Runnable cancelTick = () -> {
	};

	/**
	 * Creates an attempt to acquire a lock.
	 * @param lock lock to acquire
	 * @param successorLock returns the lock's successor lock; {@code null} if
	 * {@code lock} is itself a successor lock
	 * @param limit how long to wait
	 */
	Acquisition(RequestedLock lock, @Nullable Supplier<RequestedLock> successorLock, WaitLimit limit) {
		this.lock = lock;
		this.successorLock = successorLock;
		this.limit = limit;
		this.releasedAt = now();
	}

	/**
	 * Sends the first request.
	 * @return a future of the lease, or of {@code null} if another holder had the lock
	 * until the wait timed out. Fails with a {@link StateStoreException} if the store
	 * refused the request or never answered
	 */
	CompletableFuture<@Nullable Lease> start() {
		this.events.submit(this::request);
		return this.result;
	}

	Key key() {
		return this.lock.key();
	}

	CompletableFuture<@Nullable Lease> result() {
		return this.result;
	}

	/**
	 * Returns a future that completes after {@link #result()}, once cleanup of unclaimed
	 * grants and the successor lock has ended.
	 */
	CompletableFuture<Void> ended() {
		return this.ended;
	}

	/** Ends this attempt with a failure unless it has ended. */
	void abort(RuntimeException failure) {
		this.events.submit(() -> {
			if (!isEnded()) {
				end(null, failure);
			}
		});
	}

	/** Cancels this attempt and releases the lease if one was granted. */
	void cancel() {
		this.events.submit(() -> {
			Lease lease = lease();
			if (!isEnded()) {
				end(null, null);
			}
			else if (lease != null) {
				lease.release();
			}
		});
	}

	private @Nullable Lease lease() {
		return this.result.isCompletedExceptionally() ? null : this.result.getNow(null);
	}

	private long now() {
		return this.lock.time().nanoTime();
	}

	private boolean isEnded() {
		return this.phase == Phase.ENDED;
	}

	private void request() {
		if (isEnded() || this.inFlight) {
			return;
		}
		this.cancelTick.run();
		this.inFlight = true;
		this.watchedMeanwhile = false;
		this.releasedMeanwhile = null;
		long sentAt = now();
		LockTerms terms = this.lock.terms();
		boolean first = !this.answered && this.failures == 0;
		this.lock.store()
			.acquire(this.lock.holder(), terms.lease(), this.limit.replyTimeout(terms.replyTimeout(), first),
					(reply, failure) -> this.events.submit(() -> replied(sentAt, reply, failure)));
	}

	private void replied(long sentAt, @Nullable SetResult reply, @Nullable StateStoreException failure) {
		this.inFlight = false;
		if (reply == null) {
			this.possiblyGranted |= LockStore.isPossiblyApplied(failure);
		}
		else {
			// If another holder has the lock, earlier requests were not granted either.
			this.possiblyGranted = reply.applied();
		}
		if (isEnded()) {
			cleanUp();
		}
		else if (reply == null) {
			failed(Objects.requireNonNull(failure));
		}
		else if (reply.applied()) {
			granted(sentAt, reply.version());
		}
		else {
			held(reply.version());
		}
	}

	private void granted(long sentAt, Version version) {
		Lease lease = new Lease(this.lock, new FencingToken(version), sentAt);
		if (!lease.status().isValid()) {
			// The lease ended before the reply arrived; the next request renews it.
			scheduleRequest(Duration.ZERO);
			return;
		}
		this.possiblyGranted = false;
		// Complete this first, so that the waiting thread continues immediately.
		this.result.complete(lease);
		lease.start();
		end(lease, null);
	}

	private void held(Version stored) {
		this.answered = true;
		this.failures = 0;
		if (this.limit.isOver() || (isHesitant() && isNoSuccessorLock(stored))) {
			end(null, null);
		}
		else if (this.phase == Phase.REQUESTING) {
			requestSuccessorLock();
		}
		else if (this.phase == Phase.OBSERVING && isReleasedAfter(stored)) {
			request();
		}
		else {
			awaitChange();
		}
	}

	/**
	 * Returns whether the lock may be free although the store replied that it is held.
	 */
	private boolean isReleasedAfter(Version stored) {
		KeyChange<Bytes> released = this.releasedMeanwhile;
		return this.watchedMeanwhile
				|| released != null && (released.resynchronized() || released.version().compareTo(stored) > 0);
	}

	private boolean isHesitant() {
		return this.successorLock == null;
	}

	private boolean isNoSuccessorLock(Version stored) {
		if (!stored.equals(this.stored)) {
			this.stored = stored;
			this.storedSince = now();
		}
		return now() - this.storedSince > MAX_UNCHANGED.toNanos();
	}

	private void requestSuccessorLock() {
		if (this.successorLock == null) {
			watch();
			return;
		}
		this.phase = Phase.COMPETING;
		Acquisition successor = new Acquisition(this.successorLock.get(), null, this.limit);
		this.successor = successor;
		successor.start().whenComplete((lease, failure) -> this.events.submit(() -> {
			// Watch even if the successor lock was not granted, because the store may
			// forbid access to its key.
			watch();
			if (lease != null) {
				// The lock may be free, so request it before the watch starts.
				request();
			}
		}));
		awaitChange();
	}

	private void watch() {
		if (isEnded()) {
			return;
		}
		this.phase = Phase.OBSERVING;
		this.closeWatch = this.lock.store()
			.watch((state) -> this.events.submit(() -> watched(state)),
					(change) -> this.events.submit(() -> changed(change)));
		awaitChange();
	}

	/**
	 * Handles a new state of the watch. Changes before its start were not delivered, so
	 * the lock may be free unless the watch has shown another holder.
	 */
	private void watched(KeyWatch.State state) {
		boolean resumed = this.everWatched;
		this.watched = state == KeyWatch.State.ACTIVE;
		this.everWatched |= this.watched;
		if (!this.watched || resumed) {
			return;
		}
		if (this.heldByOther) {
			stillHeld();
		}
		else if (this.inFlight) {
			this.watchedMeanwhile = true;
		}
		else {
			request();
		}
	}

	private void changed(KeyChange<Bytes> change) {
		boolean released = change.operation() == Operation.DELETE;
		this.heldByOther = !released && !this.lock.holder().equals(change.value());
		if (!released) {
			stillHeld();
		}
		else if (this.inFlight) {
			this.releasedMeanwhile = change;
		}
		else if (isHesitant()) {
			hesitate();
		}
		else {
			request();
		}
	}

	/**
	 * Pauses before the next request, for at most half of the time that the lock was
	 * held, so that there is a successor before the next release.
	 */
	private void hesitate() {
		long now = now();
		Duration half = Duration.ofNanos((now - this.releasedAt) / 2);
		this.releasedAt = now;
		Duration longest = LockTerms.min(half, MAX_HESITATION);
		scheduleRequest(Duration.ofNanos((long) (longest.toNanos() * this.lock.time().random())));
	}

	private void stillHeld() {
		if (this.failures == 0) {
			awaitChange();
		}
	}

	private void failed(StateStoreException failure) {
		this.lastFailure = failure;
		if (!(failure instanceof StateStoreNotSentException || failure instanceof StateStoreOutcomeUnknownException)) {
			end(null, failure);
			return;
		}
		this.failures++;
		if (this.limit.isUnlimited() && this.failures == 1 && !isHesitant()) {
			logger.warn("Request for lock {} failed; retrying until it succeeds: {}", this.lock.key(),
					failure.getMessage());
		}
		Duration pause = FIRST_RETRY.multipliedBy(1L << Math.min(this.failures - 1, 10));
		scheduleRequest(jittered(LockTerms.min(pause, MAX_RETRY)));
	}

	/**
	 * Waits for a notification, and schedules a request in case no notification arrives.
	 */
	private void awaitChange() {
		Duration lease = this.lock.terms().lease();
		if (this.phase == Phase.COMPETING) {
			scheduleRequest(jittered(LockTerms.min(lease.multipliedBy(2), MAX_COMPETING)));
		}
		else if (this.watched) {
			scheduleRequest(jittered(lease));
		}
		else {
			scheduleRequest(jittered(LockTerms.min(lease.dividedBy(10), MAX_RETRY)));
		}
	}

	/**
	 * Shortens a pause by a random amount, so that the requests of many waiters do not
	 * coincide.
	 */
	private Duration jittered(Duration pause) {
		return pause.minus(Duration.ofNanos((long) (pause.toNanos() * this.lock.time().random() / 4)));
	}

	/** Requests the lock after a pause, or ends the attempt if the wait is over. */
	private void scheduleRequest(Duration pause) {
		if (isEnded() || this.inFlight) {
			return;
		}
		this.cancelTick.run();
		if (this.limit.isOver()) {
			end(null, this.answered ? null : this.lastFailure);
		}
		else {
			this.cancelTick = this.lock.time().schedule(this.limit.cap(pause), () -> this.events.submit(this::tick));
		}
	}

	private void tick() {
		if (this.limit.isOver()) {
			scheduleRequest(Duration.ZERO);
		}
		else {
			request();
		}
	}

	private void end(@Nullable Lease lease, @Nullable RuntimeException failure) {
		this.phase = Phase.ENDED;
		// Complete this first, so that no thread waits forever if a later step fails.
		if (failure != null) {
			this.result.completeExceptionally(failure);
		}
		else {
			this.result.complete(lease);
		}
		this.cancelTick.run();
		this.closeWatch.run();
		cancelSuccessor();
		if (!this.inFlight) {
			cleanUp();
		}
	}

	/** Releases the successor lock, or stops waiting for it. */
	private void cancelSuccessor() {
		if (this.successor != null) {
			this.successor.cancel();
		}
	}

	/** Deletes the key if the store may have granted the lock. */
	private void cleanUp() {
		if (!this.possiblyGranted) {
			completeEnded();
			return;
		}
		this.possiblyGranted = false;
		this.lock.store().delete(this.lock.holder(), this.lock.terms().replyTimeout(), (result, failure) -> {
			if (failure != null) {
				logger.debug("Lock {} may stay occupied for {}: its deletion failed", this.lock.key(),
						this.lock.terms().lease(), failure);
			}
			completeEnded();
		});
	}

	private void completeEnded() {
		Acquisition successor = this.successor;
		if (successor == null) {
			this.ended.complete(null);
			return;
		}
		successor.ended.thenCompose((nothing) -> {
			Lease lease = successor.lease();
			return (lease != null) ? lease.ended() : CompletableFuture.<Void>completedFuture(null);
		}).whenComplete((nothing, failure) -> this.ended.complete(null));
	}

	/** Ends the attempt after an event failed unexpectedly. */
	private void eventFailed(Throwable failure) {
		if (isEnded()) {
			cancelSuccessor();
			completeEnded();
			return;
		}
		this.inFlight = false;
		this.possiblyGranted = true;
		end(null, new StateStoreException("Request for lock " + this.lock.key() + " failed", failure));
	}

}
