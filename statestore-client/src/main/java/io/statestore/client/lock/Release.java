package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.Entry;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Releases a lock in the store: deletes its key, or shortens the lease if the lock is to
 * be kept for a while. Repeats a request without a reply up to the deadline of the lease.
 * Not thread-safe: handles one event of the lease at a time.
 */
final class Release {

	private static final Logger logger = LoggerFactory.getLogger(Release.class);

	private final CompletableFuture<Boolean> result = new CompletableFuture<>();

	private final HeldLock held;

	private final LeaseDeadline deadline;

	private final SerialEvents events;

	private final Listener listener;

	/** Time up to which the store keeps the lock. */
	private long keepUntil;

	/** Whether a release with unknown outcome was sent. */
	private boolean possiblyApplied;

	Release(HeldLock held, LeaseDeadline deadline, SerialEvents events, Listener listener) {
		this.held = held;
		this.deadline = deadline;
		this.events = events;
		this.listener = listener;
	}

	/** Returns a future with whether the lock was held up to its release. */
	CompletableFuture<Boolean> result() {
		return this.result;
	}

	/** Sets how long the store keeps the lock, zero to release it at once. */
	void keepFor(Duration keep) {
		this.keepUntil = this.held.now() + keep.toNanos();
	}

	void send() {
		Duration remaining = Duration.ofNanos(Math.max(0, this.deadline.remaining()));
		LockTerms terms = this.listener.terms();
		Duration timeout = LockTerms.atLeastOneMilli(LockTerms.min(remaining, terms.replyTimeout()));
		if (remainingKeep().toMillis() <= 0) {
			this.held.store()
				.delete(this.held.holder(), timeout, (reply, failure) -> this.events
					.submit(() -> replied((reply != null) ? lossOf(reply.outcome()) : null, reply != null, failure)));
		}
		else {
			// A SET would create an absent key.
			this.held.store()
				.read(timeout, (entry, failure) -> this.events.submit(() -> read(entry, failure, timeout)));
		}
	}

	private Duration remainingKeep() {
		return Duration.ofNanos(this.keepUntil - this.held.now());
	}

	private void read(@Nullable Optional<Entry<Bytes>> entry, @Nullable StateStoreException failure, Duration timeout) {
		Reason loss = (entry != null) ? lossOf(entry) : null;
		if (entry == null || loss != null) {
			replied(loss, entry != null, failure);
			return;
		}
		Duration keep = remainingKeep();
		if (keep.toMillis() <= 0) {
			send();
			return;
		}
		this.held.store()
			.renew(this.held.holder(), keep, timeout,
					(reply, setFailure) -> this.events
						.submit(() -> replied((reply != null && !reply.applied()) ? Reason.TAKEN : null, reply != null,
								setFailure)));
	}

	private @Nullable Reason lossOf(Optional<Entry<Bytes>> entry) {
		if (entry.isEmpty()) {
			return Reason.DELETED;
		}
		return this.held.holder().equals(entry.get().value()) ? null : Reason.TAKEN;
	}

	private static @Nullable Reason lossOf(Outcome outcome) {
		return switch (outcome) {
			case DELETED -> null;
			case ABSENT -> Reason.DELETED;
			case DIFFERENT -> Reason.TAKEN;
		};
	}

	private void replied(@Nullable Reason loss, boolean answered, @Nullable StateStoreException failure) {
		if (!answered) {
			unanswered(failure);
		}
		else if (loss != null && !this.possiblyApplied) {
			// After the deadline the key may be absent because it has expired.
			this.listener.lost(this.deadline.isOver() ? this.deadline.reason() : loss, null);
		}
		else {
			this.result.complete(true);
			this.listener.released();
		}
	}

	private void unanswered(@Nullable StateStoreException failure) {
		this.possiblyApplied |= !(failure instanceof StateStoreNotSentException);
		if (!this.result.isDone()) {
			logger.atLevel(SuccessorKey.level(this.held.key(), Level.WARN))
				.log("{} was released without a confirmation. The store removes it at the end of its lease, in {}: {}",
						SuccessorKey.describe(this.held.key()), this.listener.terms().lease(),
						(failure != null) ? failure.getMessage() : "no reply");
			this.result.complete(true);
		}
		if (this.deadline.isOver()) {
			this.listener.released();
		}
		else {
			this.listener.schedule(this.listener.terms().renewalRetry(), this::send);
		}
	}

	/** Receives the result of the release. */
	interface Listener {

		/** Returns the current terms of the lease. */
		LockTerms terms();

		/** Runs an event after a delay, in place of the scheduled one. */
		void schedule(Duration delay, Runnable event);

		/** Ends the tenure with a loss, unless the lock is lost already. */
		void lost(Reason reason, @Nullable Throwable cause);

		/** Ends the tenure with its release. */
		void released();

	}

}
