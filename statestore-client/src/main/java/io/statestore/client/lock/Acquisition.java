package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of a process to get a lock, from the first request until there is a
 * {@link Lease}, the time to wait is over, or nobody wants it any more (protocol section
 * 7, numbers 4 and 5). A state machine: events come one at a time.
 * <p>
 * All its requests name the same holder, so that a request whose reply was lost may be
 * repeated: the store takes the second for a renewal. Whatever is given up is deleted in
 * the store unless it surely was never granted.
 * <p>
 * Of all processes that wait, one waits for the lock itself, and asks as soon as it is
 * free. The others wait for its {@linkplain Line place}, which is a lock as well, but
 * without hurry: they ask within a moment that they draw, and not at all if somebody was
 * faster. So a release is followed by one request, however many wait.
 */
final class Acquisition {

	/** Waits for ever. */
	static final long FOREVER = Long.MAX_VALUE;

	private static final Logger logger = LoggerFactory.getLogger(Acquisition.class);

	/** What the first request is given even if the time to wait is shorter. */
	private static final Duration FIRST_REPLY = Duration.ofSeconds(1);

	private static final Duration RETRY = Duration.ofMillis(50);

	private static final Duration MAX_RETRY = Duration.ofSeconds(1);

	/** The longest moment within which those in line ask for a place that is free. */
	private static final Duration MAX_HESITATION = Duration.ofMillis(20);

	private final SerialEvents events = new SerialEvents(this::broken);

	private final CompletableFuture<@Nullable Lease> result = new CompletableFuture<>();

	/** Whatever the store had to be told was told, or never will be. */
	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final Key key;

	private final LockStore store;

	private final LockTime time;

	private final LockTerms terms;

	private final Bytes holder;

	/** Where to wait behind others, {@code null} if this is that place. */
	private final @Nullable Line line;

	private final boolean waiting;

	private final boolean forEver;

	private final long giveUpAt;

	private boolean inFlight;

	/** That the lock was freed while a request was on its way. */
	private @Nullable KeyChange<Bytes> freed;

	/** Whether the observation has told last of somebody else who holds the lock. */
	private boolean taken;

	/** That the observation began while a request was on its way. */
	private boolean observedMeanwhile;

	private @Nullable StateStoreException lastFailure;

	/** Whether the store has ever said that somebody else holds the lock. */
	private boolean answered;

	/** Whether the lock may have been granted without our knowledge. */
	private boolean uncertain;

	private int failures;

	private LockStore.@Nullable Watch watch;

	/** Our way to the place of who is next. */
	private @Nullable Acquisition inLine;

	/** When the lock was freed last, as far as we know. */
	private long freedAt;

	private Runnable cancelTick = () -> {
	};

	/**
	 * @param line where to wait behind others, {@code null} to wait without hurry
	 * @param waitNanos how long to wait, 0 for one request, {@link #FOREVER}
	 */
	Acquisition(Key key, LockStore store, LockTime time, LockTerms terms, Bytes holder, @Nullable Line line,
			long waitNanos) {
		this.key = key;
		this.store = store;
		this.time = time;
		this.terms = terms;
		this.holder = holder;
		this.line = line;
		this.waiting = waitNanos > 0;
		this.forEver = waitNanos == FOREVER;
		this.freedAt = time.nanoTime();
		this.giveUpAt = this.freedAt + (this.forEver ? 0 : waitNanos);
	}

	/**
	 * Begin.
	 * @return the lease, {@code null} if somebody else held the lock until the time to
	 * wait was over. Fails with a {@link StateStoreException} if the store refused, or
	 * has never answered
	 */
	CompletableFuture<@Nullable Lease> start() {
		this.events.submit(this::request);
		return this.result;
	}

	/** Completed as {@link #start()} says. */
	CompletableFuture<@Nullable Lease> result() {
		return this.result;
	}

	/**
	 * Completed after {@link #result()}, when the store holds nothing that nobody took,
	 * nor the place in line.
	 */
	CompletableFuture<Void> ended() {
		return this.ended;
	}

	/** End it with this failure if it has not ended. */
	void abort(RuntimeException failure) {
		this.events.submit(() -> {
			if (!isDone()) {
				end(null, failure);
			}
		});
	}

	/** Nobody wants it any more; a lease that was just granted is released. */
	void cancel() {
		this.events.submit(() -> {
			if (!isDone()) {
				end(null, null);
				return;
			}
			Lease lease = lease();
			if (lease != null) {
				lease.release(Duration.ZERO);
			}
		});
	}

	/** What it has ended with, {@code null} if that is no lease. */
	private @Nullable Lease lease() {
		return this.result.isCompletedExceptionally() ? null : this.result.getNow(null);
	}

	/** Completed when it has ended and so has its lease, if it got one. */
	private CompletableFuture<Void> endedWithLease() {
		return this.ended.thenCompose((nothing) -> {
			Lease lease = lease();
			return (lease != null) ? lease.ended() : CompletableFuture.completedFuture(null);
		});
	}

	private boolean isDone() {
		return this.result.isDone();
	}

	private long left() {
		return this.forEver ? Long.MAX_VALUE : this.giveUpAt - this.time.nanoTime();
	}

	private void request() {
		if (isDone() || this.inFlight) {
			return;
		}
		this.cancelTick.run();
		this.inFlight = true;
		this.freed = null;
		this.observedMeanwhile = false;
		long sentAt = this.time.nanoTime();
		this.store.acquire(this.holder, this.terms.lease(), requestTimeout(),
				(result, failure) -> this.events.submit(() -> replied(sentAt, result, failure)));
	}

	private Duration requestTimeout() {
		Duration timeout = this.terms.replyTimeout();
		if (this.waiting && !this.forEver) {
			Duration left = Duration.ofNanos(Math.max(0, left()));
			Duration least = (this.answered || this.failures > 0) ? Duration.ofMillis(1) : FIRST_REPLY;
			timeout = LockTerms.min(timeout, (left.compareTo(least) >= 0) ? left : least);
		}
		return timeout;
	}

	private void replied(long sentAt, @Nullable SetResult reply, @Nullable StateStoreException failure) {
		this.inFlight = false;
		if (isDone()) {
			this.uncertain |= (reply == null) ? isUncertain(failure) : reply.applied();
			cleanUp();
		}
		else if (reply == null) {
			failed((failure != null) ? failure : new StateStoreException("No reply"));
		}
		else if (reply.applied()) {
			granted(sentAt, reply.version());
		}
		else {
			notGranted(reply.version());
		}
	}

	private void granted(long sentAt, Version version) {
		Lease lease = new Lease(this.key, this.store, this.time, this.terms, this.holder, new FencingToken(version),
				sentAt);
		if (!lease.isValid()) {
			// The reply took as long as the lease; the next request renews it.
			this.uncertain = true;
			retry(Duration.ZERO);
			return;
		}
		this.uncertain = false;
		// Who waits goes on first, whatever else there is to do.
		this.result.complete(lease);
		lease.start();
		end(lease, null);
	}

	private void notGranted(Version stored) {
		this.answered = true;
		this.failures = 0;
		// Somebody else has it, so this holder does not, whatever became of earlier
		// requests.
		this.uncertain = false;
		KeyChange<Bytes> freed = this.freed;
		if (left() <= 0) {
			end(null, null);
		}
		else if (this.line != null && this.inLine == null) {
			queueUp(this.line);
		}
		else if (this.watch == null && !isQueued()) {
			watch();
		}
		else if (this.observedMeanwhile
				|| freed != null && (freed.resynchronised() || freed.version().compareTo(stored) > 0)) {
			request();
		}
		else {
			awaitChange();
		}
	}

	private boolean isQueued() {
		return this.inLine != null && !this.inLine.isDone();
	}

	private void queueUp(Line line) {
		Acquisition inLine = line.queueUp(this.forEver ? FOREVER : left());
		this.inLine = inLine;
		awaitChange();
		inLine.start().whenComplete((place, failure) -> this.events.submit(() -> {
			// Without a place it goes on as well: a store may forbid that key.
			watch();
			if (place != null) {
				// The lock may be free by now, so it does not wait for the observation.
				request();
			}
		}));
	}

	private void watch() {
		if (!isDone() && this.watch == null) {
			this.watch = this.store.watch(new Watcher());
			awaitChange();
		}
	}

	private void failed(StateStoreException failure) {
		this.uncertain |= isUncertain(failure);
		if (!isTransient(failure)) {
			end(null, failure);
			return;
		}
		this.failures++;
		if (this.forEver && this.failures == 1) {
			logger.warn("Lock {} could not be asked for, which is tried again until it can: {}", this.key,
					failure.getMessage());
		}
		Duration pause = LockTerms.min(RETRY.multipliedBy(1L << Math.min(this.failures - 1, 10)), MAX_RETRY);
		this.lastFailure = failure;
		retry(jittered(pause));
	}

	private void retry(Duration pause) {
		if (left() <= 0) {
			timeIsOver();
		}
		else {
			wakeUpAfter(pause);
		}
	}

	private void timeIsOver() {
		end(null, this.answered ? null : this.lastFailure);
	}

	private static boolean isTransient(StateStoreException failure) {
		return failure instanceof StateStoreNotSentException || failure instanceof StateStoreOutcomeUnknownException;
	}

	private static boolean isUncertain(@Nullable StateStoreException failure) {
		return !(failure instanceof StateStoreNotSentException || failure instanceof StateStoreRefusedException);
	}

	/** Wait for a notification, but not for that alone. */
	private void awaitChange() {
		Duration poll = LockTerms.min(this.terms.lease().dividedBy(10), MAX_RETRY);
		if (isQueued()) {
			// The place will come; unless somebody keeps something else under its key.
			poll = this.terms.lease().multipliedBy(2);
		}
		else if (this.watch != null && this.watch.isActive()) {
			poll = this.terms.lease();
		}
		wakeUpAfter(jittered(poll));
	}

	private Duration jittered(Duration duration) {
		return duration.minus(Duration.ofNanos((long) (duration.toNanos() * this.time.random() / 4)));
	}

	private void wakeUpAfter(Duration pause) {
		this.cancelTick.run();
		long left = left();
		Duration delay = (left < pause.toNanos()) ? Duration.ofNanos(Math.max(0, left)) : pause;
		this.cancelTick = this.time.schedule(delay, () -> this.events.submit(this::wokenUp));
	}

	private void wokenUp() {
		if (isDone() || this.inFlight) {
			return;
		}
		if (left() <= 0) {
			timeIsOver();
		}
		else {
			request();
		}
	}

	/**
	 * What happened before, a request on its way included, was not seen. But if somebody
	 * holds the lock now, its end will be.
	 */
	private void observed() {
		if (!this.taken) {
			this.observedMeanwhile = this.inFlight;
			request();
		}
		else if (!isDone() && !this.inFlight && this.failures == 0) {
			awaitChange();
		}
	}

	private void keyChanged(KeyChange<Bytes> change) {
		if (isDone()) {
			return;
		}
		this.taken = change.operation() == Operation.SET && !this.holder.equals(change.value());
		if (change.operation() == Operation.DELETE) {
			if (this.inFlight) {
				this.freed = change;
			}
			else if (this.line != null) {
				request();
			}
			else {
				hesitate();
			}
		}
		else if (!this.inFlight && this.failures == 0) {
			// The holder is alive.
			awaitChange();
		}
	}

	/**
	 * At most half as long as the lock is usually held, so that somebody is in place when
	 * it is freed.
	 */
	private void hesitate() {
		long now = this.time.nanoTime();
		Duration usual = Duration.ofNanos((now - this.freedAt) / 2);
		this.freedAt = now;
		wakeUpAfter(Duration.ofNanos((long) (LockTerms.min(usual, MAX_HESITATION).toNanos() * this.time.random())));
	}

	private void end(@Nullable Lease lease, @Nullable RuntimeException failure) {
		// First, so that nobody waits for ever if the rest fails.
		if (failure != null) {
			this.result.completeExceptionally(failure);
		}
		else {
			this.result.complete(lease);
		}
		this.cancelTick.run();
		if (this.watch != null) {
			this.watch.close();
			this.watch = null;
		}
		leaveLine();
		if (!this.inFlight) {
			cleanUp();
		}
	}

	private void leaveLine() {
		if (this.inLine != null) {
			this.inLine.cancel();
		}
	}

	private void broken(Throwable failure) {
		if (isDone()) {
			leaveLine();
			finished();
			return;
		}
		this.inFlight = false;
		this.uncertain = true;
		end(null, new StateStoreException("Lock " + this.key + " could not be asked for", failure));
	}

	/** What may have been granted although nobody took it. */
	private void cleanUp() {
		if (this.uncertain) {
			this.uncertain = false;
			this.store.delete(this.holder, this.terms.replyTimeout(), (result, failure) -> {
				if (failure != null) {
					logger.debug("Lock {} may stay taken for {}", this.key, this.terms.lease(), failure);
				}
				finished();
			});
		}
		else {
			finished();
		}
	}

	private void finished() {
		if (this.inLine == null) {
			this.ended.complete(null);
		}
		else {
			this.inLine.endedWithLease().whenComplete((nothing, failure) -> this.ended.complete(null));
		}
	}

	/** The place of the process that is next. */
	@FunctionalInterface
	interface Line {

		/** An attempt to get that place, which has not begun. */
		Acquisition queueUp(long waitNanos);

	}

	/** What the observation of the key tells. */
	private final class Watcher implements LockStore.Watcher {

		@Override
		public void started() {
			Acquisition.this.events.submit(Acquisition.this::observed);
		}

		@Override
		public void changed(KeyChange<Bytes> change) {
			Acquisition.this.events.submit(() -> keyChanged(change));
		}

	}

}
