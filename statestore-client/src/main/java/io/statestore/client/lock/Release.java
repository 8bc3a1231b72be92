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

/**
 * Releases a lock in the store: deletes its key, or shortens the lease if the lock is to
 * be kept for a while. Repeats a request without a reply up to the deadline of the lease.
 * Not thread-safe: an event of the lease at a time.
 */
final class Release {

	private static final Logger logger = LoggerFactory.getLogger(Release.class);

	private final CompletableFuture<Boolean> result = new CompletableFuture<>();

	private final HeldKey held;

	private final LeaseDeadline deadline;

	private final Lease lease;

	/** Up to when the store keeps the lock. */
	private long keepUntil;

	/** Whether an earlier request may have been executed. */
	private boolean uncertain;

	Release(HeldKey held, LeaseDeadline deadline, Lease lease) {
		this.held = held;
		this.deadline = deadline;
		this.lease = lease;
	}

	/** Returns the result: whether the lock was held up to its release. */
	CompletableFuture<Boolean> result() {
		return this.result;
	}

	/** Sets how long the store keeps the lock, zero to free it at once. */
	void keepFor(Duration keep) {
		this.keepUntil = this.held.now() + keep.toNanos();
	}

	void send() {
		Duration left = Duration.ofNanos(Math.max(0, this.deadline.left()));
		LockTerms terms = this.lease.terms();
		Duration timeout = LockTerms.atLeastOneMilli(LockTerms.min(left, terms.replyTimeout()));
		if (kept().toMillis() <= 0) {
			this.held.store()
				.delete(this.held.holder(), timeout, (reply, failure) -> this.lease
					.submit(() -> replied((reply != null) ? lossOf(reply.outcome()) : null, reply != null, failure)));
		}
		else {
			// A SET would create an absent key.
			this.held.store().read(timeout, (entry, failure) -> this.lease.submit(() -> read(entry, failure, timeout)));
		}
	}

	private Duration kept() {
		return Duration.ofNanos(this.keepUntil - this.held.now());
	}

	private void read(@Nullable Optional<Entry<Bytes>> entry, @Nullable StateStoreException failure, Duration timeout) {
		Reason loss = (entry != null) ? lossOf(entry) : null;
		if (entry == null || loss != null) {
			replied(loss, entry != null, failure);
			return;
		}
		Duration keep = kept();
		if (keep.toMillis() <= 0) {
			send();
			return;
		}
		this.held.store()
			.renew(this.held.holder(), keep, timeout,
					(reply, setFailure) -> this.lease
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
		else if (loss != null && !this.uncertain) {
			// After the deadline the key may be gone because it has expired.
			this.lease.lost(this.deadline.isOver() ? Reason.EXPIRED : loss, null);
		}
		else {
			this.result.complete(true);
			this.lease.released();
		}
	}

	private void unanswered(@Nullable StateStoreException failure) {
		this.uncertain |= !(failure instanceof StateStoreNotSentException);
		if (!this.result.isDone()) {
			logger.warn(
					"The release of lock {} is not confirmed. The store removes it at the end of its lease, in {}: {}",
					this.held.key(), this.lease.terms().lease(), (failure != null) ? failure.getMessage() : "no reply");
			this.result.complete(true);
		}
		if (this.deadline.isOver()) {
			this.lease.released();
		}
		else {
			this.lease.schedule(this.lease.terms().renewalRetry().toNanos(), this::send);
		}
	}

}
