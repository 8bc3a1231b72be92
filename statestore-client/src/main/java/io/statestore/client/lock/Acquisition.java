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
 * Attempt of a process to acquire a lock (protocol section 7, numbers 4 and 5). It starts
 * with the first request. It ends with a {@link Lease}, a timeout, a failure, or when the
 * caller cancels it. A state machine with the phases {@link Phase}; its events run one at
 * a time.
 * <p>
 * A waiter whose first request finds the lock held requests the {@link SuccessorLock}.
 * Once it is the successor, it watches the lock itself.
 */
final class Acquisition implements LockRequests.Replies, ReleaseWatch.Listener {

	/** Phases in this order. COMPETING and OBSERVING may be skipped. */
	enum Phase {

		/** The store has not yet replied that another holder has the lock. */
		REQUESTING,

		/** The successor lock was requested and is not granted yet. */
		COMPETING,

		/** The lock is watched, and requested as soon as it is released. */
		OBSERVING,

		/** The result is known. */
		ENDED

	}

	private static final Logger logger = LoggerFactory.getLogger(Acquisition.class);

	private final SerialEvents events = new SerialEvents(this::eventFailed);

	private final CompletableFuture<@Nullable Lease> result = new CompletableFuture<>();

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final RequestedLock lock;

	private final WaitLimit limit;

	private final RequestPauses pauses;

	private final LockRequests requests;

	private final ReleaseWatch watch;

	private final WaitStyle style;

	/** The successor lock, {@code null} if this acquisition is for a successor lock. */
	private final @Nullable SuccessorLock successor;

	private Phase phase = Phase.REQUESTING;

	private Runnable cancelTick = () -> {
	};

	/**
	 * Creates an attempt.
	 * @param lock to acquire
	 * @param successor its successor lock, or {@code null} if {@code lock} is itself a
	 * successor lock
	 * @param limit of the wait
	 */
	Acquisition(RequestedLock lock, @Nullable Supplier<RequestedLock> successor, WaitLimit limit) {
		this.lock = lock;
		this.limit = limit;
		this.pauses = new RequestPauses(lock.time(), lock.terms().lease());
		this.requests = new LockRequests(lock, limit, this.events, this);
		this.watch = new ReleaseWatch(lock, this.events, this);
		this.successor = (successor != null) ? new SuccessorLock(successor, limit) : null;
		this.style = (successor != null) ? WaitStyle.URGENT : new HesitantStyle(lock.time());
	}

	/**
	 * Sends the first request.
	 * @return the lease, or {@code null} if another holder had the lock until the wait
	 * timed out. Fails with a {@link StateStoreException} if the store refused, or has
	 * never answered
	 */
	CompletableFuture<@Nullable Lease> start() {
		this.events.submit(this::request);
		return this.result;
	}

	/** Returns the key of the lock. */
	Key key() {
		return this.lock.key();
	}

	/** Returns the future that {@link #start()} returns. */
	CompletableFuture<@Nullable Lease> result() {
		return this.result;
	}

	/**
	 * Returns a future that completes with or after {@link #result()}, never with a
	 * failure.
	 */
	CompletableFuture<Void> decided() {
		return this.result.handle((lease, failure) -> null);
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

	/** Returns the lease that was granted, or {@code null} if there is none. */
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
		// First, so that the waiting thread continues at once.
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
		if (this.limit.isOver() || this.style.recordRefusal(stored)) {
			end(null, null);
		}
		else if (this.phase == Phase.REQUESTING) {
			requestSuccessorLock();
		}
		else if (this.phase == Phase.OBSERVING && this.watch.isOutdated(stored)) {
			request();
		}
		else {
			awaitChange();
		}
	}

	private void requestSuccessorLock() {
		SuccessorLock successor = this.successor;
		if (successor == null) {
			watch();
			return;
		}
		this.phase = Phase.COMPETING;
		awaitChange();
		successor.request().whenComplete((lease, failure) -> this.events.submit(() -> {
			// Also without the successor lock, because the store may forbid its key.
			watch();
			if (lease != null) {
				// The lock may be free, so it is requested before the watch starts.
				request();
			}
		}));
	}

	private void watch() {
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
			logger.warn("Request for lock {} failed; retrying until it succeeds: {}", this.lock.key(),
					failure.getMessage());
		}
		retryAfter(this.pauses.afterFailure(failures));
	}

	@Override
	public void refused(StateStoreException failure) {
		end(null, failure);
	}

	private void retryAfter(Duration pause) {
		if (this.limit.isOver()) {
			timeOut();
		}
		else {
			scheduleRequest(pause);
		}
	}

	private void timeOut() {
		end(null, this.requests.failureWithoutAnswer());
	}

	/** Waits for a notification, and schedules a request in case none arrives. */
	private void awaitChange() {
		if (isEnded() || this.requests.isInFlight()) {
			return;
		}
		if (this.phase == Phase.COMPETING) {
			scheduleRequest(this.pauses.whileCompeting());
		}
		else if (this.watch.isActive()) {
			scheduleRequest(this.pauses.whileWatching());
		}
		else {
			scheduleRequest(this.pauses.whileUnwatched());
		}
	}

	private void scheduleRequest(Duration pause) {
		this.cancelTick.run();
		this.cancelTick = this.lock.time().schedule(this.limit.cap(pause), () -> this.events.submit(this::tick));
	}

	private void tick() {
		if (isEnded() || this.requests.isInFlight()) {
			return;
		}
		if (this.limit.isOver()) {
			timeOut();
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
		Duration pause = this.style.recordRelease();
		if (pause.isZero()) {
			request();
		}
		else if (!isEnded()) {
			scheduleRequest(pause);
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
		// First, so that no thread waits forever if a later step fails.
		if (failure != null) {
			this.result.completeExceptionally(failure);
		}
		else {
			this.result.complete(lease);
		}
		this.cancelTick.run();
		this.watch.close();
		releaseSuccessorLock();
		this.requests.close(this::completeEnded);
	}

	private void releaseSuccessorLock() {
		if (this.successor != null) {
			this.successor.release();
		}
	}

	/** Ends the attempt after an unexpected failure of an event. */
	private void eventFailed(Throwable failure) {
		if (isEnded()) {
			releaseSuccessorLock();
			completeEnded();
			return;
		}
		this.requests.abandon();
		end(null, new StateStoreException("Request for lock " + this.lock.key() + " failed", failure));
	}

	private void completeEnded() {
		if (this.successor == null) {
			this.ended.complete(null);
		}
		else {
			this.successor.ended().whenComplete((nothing, failure) -> this.ended.complete(null));
		}
	}

}
