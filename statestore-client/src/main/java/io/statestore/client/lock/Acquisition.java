package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attempt of a process to acquire a lock (protocol section 7, numbers 4 and 5). It begins
 * with the first request and ends with a {@link Lease}, with the time to wait, or when
 * the caller cancels it. A state machine, see {@link Phase}; its events run one at a
 * time.
 * <p>
 * A waiter whose first request finds the lock held requests the {@link SuccessorLock},
 * and observes the lock itself once it is the successor.
 */
final class Acquisition implements LockRequests.Replies, ReleaseWatch.Listener {

	/** Phases, in this order; some may be left out. */
	enum Phase {

		/** The store has not yet replied that another holder has the lock. */
		REQUESTING,

		/** Another waiter is the successor, or the successor lock is being requested. */
		QUEUED,

		/** Requests the lock as soon as it is released. */
		OBSERVING,

		/** The result is known. */
		ENDED

	}

	private static final Logger logger = LoggerFactory.getLogger(Acquisition.class);

	private static final Duration RETRY = Duration.ofMillis(50);

	private static final Duration MAX_RETRY = Duration.ofSeconds(1);

	/** Longest time between two requests of a waiter in {@link Phase#QUEUED}. */
	private static final Duration MAX_QUEUED = Duration.ofMinutes(1);

	private final SerialEvents events = new SerialEvents(this::broken);

	private final CompletableFuture<@Nullable Lease> result = new CompletableFuture<>();

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final Claim claim;

	private final WaitLimit limit;

	private final LockRequests requests;

	private final ReleaseWatch watch;

	private final WaitStyle style;

	/** {@code null} if this acquisition requests a successor lock itself. */
	private final @Nullable SuccessorLock successor;

	private Phase phase = Phase.REQUESTING;

	private Runnable cancelTick = () -> {
	};

	/**
	 * Creates an attempt.
	 * @param claim of the lock
	 * @param successor claim of its successor lock, {@code null} if {@code claim} is the
	 * claim of a successor lock
	 */
	Acquisition(Claim claim, @Nullable Supplier<Claim> successor, WaitLimit limit) {
		this.claim = claim;
		this.limit = limit;
		this.requests = new LockRequests(claim, limit, this.events, this);
		this.watch = new ReleaseWatch(claim, this.events, this);
		this.successor = (successor != null) ? new SuccessorLock(successor, limit) : null;
		this.style = (successor != null) ? WaitStyle.URGENT : new HesitantStyle(claim.time());
	}

	/**
	 * Sends the first request.
	 * @return the lease, {@code null} if another holder had the lock until the time to
	 * wait was over. Fails with a {@link StateStoreException} if the store refused, or
	 * has never answered
	 */
	CompletableFuture<@Nullable Lease> start() {
		this.events.submit(this::request);
		return this.result;
	}

	/** Returns the key of the lock. */
	Key key() {
		return this.claim.key();
	}

	/** Returns the future that {@link #start()} returns. */
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
			if (!isEnded()) {
				end(null, null);
				return;
			}
			Lease lease = lease();
			if (lease != null) {
				lease.release(Duration.ZERO);
			}
		});
	}

	/** Returns the lease that was granted, {@code null} if there is none. */
	@Nullable Lease lease() {
		return this.result.isCompletedExceptionally() ? null : this.result.getNow(null);
	}

	private boolean isEnded() {
		return this.phase == Phase.ENDED;
	}

	private void request() {
		if (isEnded() || this.requests.isInFlight()) {
			return;
		}
		this.cancelTick.run();
		this.watch.requestSent();
		this.requests.send();
	}

	@Override
	public void granted(Lease lease) {
		// The waiting thread continues before the rest is done.
		this.result.complete(lease);
		lease.start();
		end(lease, null);
	}

	@Override
	public void grantedTooLate() {
		this.watch.requestEnded();
		retryAfter(Duration.ZERO);
	}

	@Override
	public void held(Version stored) {
		this.watch.requestEnded();
		if (this.limit.isOver() || this.style.givesUp(stored)) {
			end(null, null);
		}
		else if (this.phase == Phase.REQUESTING) {
			queueUp();
		}
		else if (this.phase == Phase.OBSERVING && this.watch.isOutdated(stored)) {
			request();
		}
		else {
			awaitChange();
		}
	}

	private void queueUp() {
		SuccessorLock successor = this.successor;
		if (successor == null) {
			observe();
			return;
		}
		this.phase = Phase.QUEUED;
		awaitChange();
		successor.request().whenComplete((lease, failure) -> this.events.submit(() -> {
			// Without the successor lock as well: the store may forbid its key.
			observe();
			if (lease != null) {
				// The lock may be free, so it is requested before the observation begins.
				request();
			}
		}));
	}

	private void observe() {
		if (!isEnded()) {
			this.phase = Phase.OBSERVING;
			this.watch.open();
			awaitChange();
		}
	}

	@Override
	public void failed(StateStoreException failure) {
		this.watch.requestEnded();
		int failures = this.requests.failures();
		if (this.limit.isUnlimited() && failures == 1 && this.successor != null) {
			logger.warn("Request for lock {} failed; retrying until it succeeds: {}", this.claim.key(),
					failure.getMessage());
		}
		Duration pause = LockTerms.min(RETRY.multipliedBy(1L << Math.min(failures - 1, 10)), MAX_RETRY);
		retryAfter(jittered(pause));
	}

	@Override
	public void refused(StateStoreException failure) {
		end(null, failure);
	}

	private void retryAfter(Duration pause) {
		if (this.limit.isOver()) {
			timeIsOver();
		}
		else {
			wakeUpAfter(pause);
		}
	}

	private void timeIsOver() {
		end(null, this.requests.failureWithoutAnswer());
	}

	/** Waits for a notification, and repeats the request should none arrive. */
	private void awaitChange() {
		if (isEnded() || this.requests.isInFlight()) {
			return;
		}
		Duration lease = this.claim.terms().lease();
		Duration poll = LockTerms.min(lease.dividedBy(10), MAX_RETRY);
		if (this.phase == Phase.QUEUED) {
			poll = LockTerms.min(lease.multipliedBy(2), MAX_QUEUED);
		}
		else if (this.watch.isActive()) {
			poll = lease;
		}
		wakeUpAfter(jittered(poll));
	}

	private Duration jittered(Duration duration) {
		return duration.minus(Duration.ofNanos((long) (duration.toNanos() * this.claim.time().random() / 4)));
	}

	private void wakeUpAfter(Duration pause) {
		this.cancelTick.run();
		this.cancelTick = this.claim.time().schedule(this.limit.cap(pause), () -> this.events.submit(this::wokenUp));
	}

	private void wokenUp() {
		if (isEnded() || this.requests.isInFlight()) {
			return;
		}
		if (this.limit.isOver()) {
			timeIsOver();
		}
		else {
			request();
		}
	}

	@Override
	public void perhapsFree() {
		request();
	}

	@Override
	public void released() {
		Duration pause = this.style.pauseAfterRelease();
		if (pause.isZero()) {
			request();
		}
		else if (!isEnded()) {
			wakeUpAfter(pause);
		}
	}

	@Override
	public void stillHeld() {
		if (this.requests.failures() == 0) {
			awaitChange();
		}
	}

	private void end(@Nullable Lease lease, @Nullable RuntimeException failure) {
		this.phase = Phase.ENDED;
		// First, so that no thread waits forever if the rest fails.
		if (failure != null) {
			this.result.completeExceptionally(failure);
		}
		else {
			this.result.complete(lease);
		}
		this.cancelTick.run();
		this.watch.close();
		leaveSuccessor();
		this.requests.close(this::finished);
	}

	private void leaveSuccessor() {
		if (this.successor != null) {
			this.successor.leave();
		}
	}

	private void broken(Throwable failure) {
		if (isEnded()) {
			leaveSuccessor();
			finished();
			return;
		}
		this.requests.broken();
		end(null, new StateStoreException("Request for lock " + this.claim.key() + " failed", failure));
	}

	private void finished() {
		if (this.successor == null) {
			this.ended.complete(null);
		}
		else {
			this.successor.left().whenComplete((nothing, failure) -> this.ended.complete(null));
		}
	}

}
