package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One tenure of a lock, from its acquisition to its release or loss (protocol section 7,
 * numbers 4 and 6). A state machine that processes one event at a time.
 * <p>
 * Every event checks the deadline first, so a process that was paused finds the loss
 * before it could renew the lock. {@link Renewal} renews the lease while {@link KeyGuard}
 * knows that the key is unchanged; {@link Release} frees the lock.
 */
final class Lease {

	/** HELD leads to LOST or RELEASING, and RELEASING to RELEASED or LOST. */
	enum State {

		HELD, RELEASING, RELEASED, LOST

	}

	private static final Logger logger = LoggerFactory.getLogger(Lease.class);

	private final SerialEvents events = new SerialEvents(this::broken);

	private final List<Consumer<LockLoss>> lossListeners = new ArrayList<>();

	/** Callers waiting to learn whether the lock is still held. */
	private final List<CompletableFuture<Boolean>> verifications = new ArrayList<>();

	/** Completed when no further request of this tenure will be sent. */
	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final HeldKey held;

	private final LeaseDeadline deadline;

	private final KeyGuard guard;

	private final Renewal renewal;

	private final Release release;

	private volatile State state = State.HELD;

	private volatile @Nullable LockLoss loss;

	/** Reason of a detected loss that is still to be processed. */
	private volatile @Nullable Reason pendingLoss;

	private boolean cleanedUp;

	/** Time before which a lost lock is not deleted. */
	private volatile long keepUntil;

	/** Condition of each renewal. */
	private volatile BooleanSupplier renewalCondition = () -> true;

	/** Whether the holder has released the lock after its loss. */
	private boolean releasedAfterLoss;

	private Runnable cancelTick = () -> {
	};

	/**
	 * @param sentAt before the request was sent that acquired the lock
	 */
	Lease(Key key, LockStore store, LockTime time, LockTerms terms, Bytes holder, FencingToken token, long sentAt) {
		this.held = new HeldKey(key, store, time, holder, token);
		this.deadline = new LeaseDeadline(time, sentAt, terms);
		this.guard = new KeyGuard(this.held, new GuardListener());
		this.renewal = new Renewal(this.held, this.deadline, this.guard, terms, sentAt, this);
		this.release = new Release(this.held, this.deadline, this);
		this.keepUntil = sentAt;
	}

	/** Begins to renew the lease. */
	void start() {
		submit(this::scheduleTick);
	}

	/** Renews the lease only as long as this condition holds; it must not block. */
	void renewWhile(BooleanSupplier condition) {
		this.renewalCondition = condition;
	}

	/** Leaves the key in the store up to this time if the lock is lost. */
	void keepUntil(long time) {
		this.keepUntil = time;
	}

	Key key() {
		return this.held.key();
	}

	FencingToken token() {
		return this.held.token();
	}

	/** Returns whether the lock is held at this moment, without asking the store. */
	boolean isValid() {
		return this.state == State.HELD && this.pendingLoss == null && !this.deadline.isOver();
	}

	/** Returns the reliable rest of the lease, zero after a loss or release. */
	Duration remaining() {
		return isValid() ? Duration.ofNanos(Math.max(0, this.deadline.left())) : Duration.ZERO;
	}

	/** Returns the nanoseconds to the deadline, negative after it. */
	long remainingOrOverdue() {
		return this.deadline.left();
	}

	/** Returns the loss, {@code null} if the lock was not lost. */
	@Nullable LockLoss loss() {
		return this.loss;
	}

	/** Returns the loss, or why the tenure is not valid otherwise. */
	LockLoss lossOrEnd() {
		LockLoss loss = this.loss;
		if (loss != null) {
			return loss;
		}
		Reason reason = this.pendingLoss;
		if (reason == null) {
			reason = (this.state == State.HELD) ? Reason.EXPIRED : Reason.RELEASED;
		}
		return new LockLoss(key(), token(), reason);
	}

	/** Adds a listener that must not block. It is called at once after a loss. */
	void onLost(Consumer<LockLoss> listener) {
		submit(() -> {
			LockLoss loss = this.loss;
			if (loss != null) {
				listener.accept(loss);
			}
			else {
				this.lossListeners.add(listener);
			}
		});
	}

	/** Observes the key from now on instead of from the first renewal. */
	void watchNow() {
		submit(() -> {
			if (isHeld()) {
				this.guard.observe();
			}
		});
	}

	/**
	 * Renews the lease now.
	 * @param length the lease from now on, {@code null} to keep it
	 * @return whether it was renewed; {@code false} if the lock is lost or released.
	 * Fails with a {@link StateStoreException} if the request fails while the lock is
	 * held
	 */
	CompletableFuture<Boolean> renew(@Nullable Duration length) {
		CompletableFuture<Boolean> renewed = new CompletableFuture<>();
		submit(() -> {
			if (isHeld()) {
				this.renewal.request(length, renewed);
				tick();
			}
			else {
				renewed.complete(false);
			}
		});
		return renewed;
	}

	/**
	 * Finds out whether the lock is still held after the store refused its token, and
	 * loses it unless that is confirmed.
	 */
	CompletableFuture<Boolean> verify() {
		CompletableFuture<Boolean> verified = new CompletableFuture<>();
		submit(() -> {
			if (!isHeld()) {
				verified.complete(false);
				return;
			}
			this.verifications.add(verified);
			if (!this.renewal.isInFlight()) {
				verifyKey();
			}
			Runnable cancel = this.held.time().schedule(terms().renewalTimeout(), () -> submit(() -> {
				if (!verified.isDone() && isHeld()) {
					lost(Reason.FENCED, null);
				}
			}));
			verified.whenComplete((held, failure) -> cancel.run());
		});
		return verified;
	}

	/**
	 * Ends the tenure.
	 * @param keep how long the store keeps the lock nevertheless, zero to free it now
	 * @return whether the lock was held up to its release, as far as is known
	 */
	CompletableFuture<Boolean> release(Duration keep) {
		submit(() -> {
			if (isHeld()) {
				this.state = State.RELEASING;
				this.release.keepFor(keep);
				end();
				if (!this.renewal.isInFlight()) {
					this.release.send();
				}
			}
			else if (this.state == State.LOST) {
				this.release.result().complete(false);
				this.releasedAfterLoss = keep.isZero();
				if (!this.renewal.isInFlight()) {
					cleanUp();
				}
			}
		});
		return this.release.result();
	}

	/** Ends the tenure with a loss that was found elsewhere. */
	void lose(Reason reason) {
		this.pendingLoss = reason;
		submit(() -> {
			if (isHeld()) {
				lost(reason, null);
			}
		});
	}

	/** Returns a future that completes after the last request of this tenure. */
	CompletableFuture<Void> ended() {
		return this.ended;
	}

	LockTerms terms() {
		return this.renewal.terms();
	}

	/** Runs an event after those that were submitted before. */
	void submit(Runnable event) {
		this.events.submit(event);
	}

	/** Runs an event after a delay, in place of the scheduled one. */
	void schedule(long nanos, Runnable event) {
		this.cancelTick.run();
		this.cancelTick = this.held.time().schedule(Duration.ofNanos(Math.max(0, nanos)), () -> submit(event));
	}

	/** Returns whether the lock is held, after checking the deadline. */
	boolean isHeld() {
		if (this.state == State.HELD && this.deadline.isOver()) {
			lost(Reason.EXPIRED, this.renewal.failure());
		}
		return this.state == State.HELD;
	}

	private void scheduleTick() {
		if (this.state == State.HELD) {
			boolean renewal = this.renewal.isScheduled() && this.renewal.dueAt() - this.deadline.at() < 0;
			schedule(renewal ? this.renewal.dueAt() - this.held.now() : this.deadline.left(), this::tick);
		}
	}

	private void tick() {
		if (!isHeld()) {
			return;
		}
		if (this.renewal.isDue() && !this.renewalCondition.getAsBoolean()) {
			lost(Reason.ABANDONED, null);
			return;
		}
		this.renewal.tick();
		scheduleTick();
	}

	/** Continues what has waited for the renewal in flight. */
	void renewalEnded() {
		switch (this.state) {
			case HELD -> {
				this.guard.renewalEnded();
				if (!this.verifications.isEmpty()) {
					verifyKey();
				}
				scheduleTick();
			}
			case RELEASING -> this.release.send();
			case LOST -> cleanUp();
			case RELEASED -> {
			}
		}
	}

	private void verifyKey() {
		if (this.guard.isUnchanged()) {
			verified(true);
		}
		else {
			this.guard.check();
		}
	}

	private void verified(boolean held) {
		List<CompletableFuture<Boolean>> verifications = List.copyOf(this.verifications);
		this.verifications.clear();
		verifications.forEach((verification) -> verification.complete(held));
	}

	void lost(Reason reason, @Nullable Throwable cause) {
		if (this.state == State.LOST) {
			return;
		}
		LockLoss loss = new LockLoss(key(), token(), reason, cause);
		this.loss = loss;
		this.state = State.LOST;
		this.release.result().complete(false);
		this.lossListeners.forEach((listener) -> notify(listener, loss));
		this.lossListeners.clear();
		end();
		if (!this.renewal.isInFlight()) {
			cleanUp();
		}
	}

	private void notify(Consumer<LockLoss> listener, LockLoss loss) {
		try {
			listener.accept(loss);
		}
		catch (RuntimeException | Error ex) {
			logger.error("A listener for the loss of lock {} failed", key(), ex);
		}
	}

	/**
	 * Deletes the key if it may still have our holder. After the deadline it is left to
	 * expire, unless a renewal may have prolonged it. A key that is to be kept is also
	 * left to expire.
	 */
	private void cleanUp() {
		LockLoss loss = this.loss;
		if (loss == null || this.cleanedUp) {
			return;
		}
		if (loss.reason() == Reason.STOPPED && !this.releasedAfterLoss) {
			// The section may still run, so the key is left to the lease.
			this.ended.complete(null);
			return;
		}
		this.cleanedUp = true;
		boolean present = switch (loss.reason()) {
			case EXPIRED, DELETED, TAKEN -> this.renewal.isInDoubt();
			case UNCERTAIN, REFUSED, FENCED, STOPPED, ABANDONED, RELEASED -> true;
		};
		boolean kept = this.keepUntil - this.held.now() > 0;
		if (present && !kept) {
			this.held.store()
				.delete(this.held.holder(), terms().replyTimeout(), (result, failure) -> this.ended.complete(null));
		}
		else {
			this.ended.complete(null);
		}
	}

	/** Ends all activity but the release or cleanup. */
	private void end() {
		this.cancelTick.run();
		this.guard.close();
		this.renewal.ended();
		verified(false);
	}

	void released() {
		this.state = State.RELEASED;
		end();
		this.ended.complete(null);
	}

	/**
	 * Loses the lock after an unexpected failure, because it can no longer be renewed.
	 */
	private void broken(Throwable failure) {
		this.renewal.broken();
		if (this.state == State.HELD || this.state == State.RELEASING) {
			lost(Reason.EXPIRED, failure);
		}
		else {
			this.ended.complete(null);
		}
	}

	/** Processes the findings of the guard. */
	private final class GuardListener implements KeyGuard.Listener {

		@Override
		public void submit(Runnable event) {
			Lease.this.submit(event);
		}

		@Override
		public LockTerms terms() {
			return Lease.this.terms();
		}

		@Override
		public boolean isRenewing() {
			return Lease.this.renewal.isInFlight();
		}

		@Override
		public void unchanged() {
			if (isHeld()) {
				verified(true);
				Lease.this.renewal.unchanged();
				scheduleTick();
			}
		}

		@Override
		public void interrupted() {
			if (isHeld()) {
				Lease.this.renewal.interrupted();
				scheduleTick();
			}
		}

		@Override
		public void checkFailed(StateStoreException failure) {
			if (isHeld()) {
				Lease.this.renewal.checkFailed(failure);
			}
		}

		@Override
		public void lost(Reason reason) {
			if (isHeld()) {
				boolean refused = !Lease.this.verifications.isEmpty();
				Lease.this.lost(refused ? Reason.FENCED : reason, null);
			}
		}

	}

}
