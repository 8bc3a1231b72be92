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
import io.statestore.client.lock.LeaseStatus.State;
import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * One tenure of a lock, from its acquisition to its release or loss (protocol section 7,
 * numbers 4 and 6). A state machine that processes one event at a time.
 * <p>
 * Every event checks the deadline first, so a process that was paused detects the loss
 * before it could renew the lock. {@link Renewal} renews the lease while {@link KeyGuard}
 * knows that the key is unchanged. {@link Release} releases the lock, and
 * {@link LossCleanup} removes the key of a lost one.
 */
final class Lease implements Renewal.Listener, Release.Listener {

	private final SerialEvents events = new SerialEvents(this::eventFailed);

	private final LossListeners lossListeners = new LossListeners();

	/** Callers waiting to learn whether the lock is still held. */
	private final List<CompletableFuture<Boolean>> verifications = new ArrayList<>();

	/**
	 * Completed when the lock is no longer held: when its release begins, or on a loss.
	 */
	private final CompletableFuture<Void> over = new CompletableFuture<>();

	/** Completed when no further request of this tenure will be sent. */
	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final HeldLock held;

	private final LeaseDeadline deadline;

	private final LeaseStatus status;

	private final KeyGuard guard;

	private final Renewal renewal;

	private final Release release;

	private final LossCleanup cleanup;

	/** Condition of each renewal. */
	private volatile BooleanSupplier renewalCondition = () -> true;

	private Runnable cancelTick = () -> {
	};

	/**
	 * Creates a lease.
	 * @param sentAt before the request was sent that acquired the lock
	 */
	Lease(HeldLock held, LockTerms terms, long sentAt) {
		this.held = held;
		this.deadline = new LeaseDeadline(held.time(), sentAt, terms);
		this.status = new LeaseStatus(held, this.deadline);
		this.guard = new KeyGuard(held, this.events, new GuardListener());
		this.renewal = new Renewal(held, this.deadline, this.guard, terms, sentAt, this.events, this);
		this.release = new Release(held, this.deadline, this.events, this);
		this.cleanup = new LossCleanup(held, this.ended, sentAt);
	}

	/** Starts to renew the lease. */
	void start() {
		this.events.submit(this::scheduleTick);
	}

	/** Renews the lease only while this condition holds. The condition must not block. */
	void renewWhile(BooleanSupplier condition) {
		this.renewalCondition = condition;
	}

	/** Leaves the key in the store up to this time if the lock is lost. */
	void keepUntil(long time) {
		this.cleanup.keepUntil(time);
	}

	Key key() {
		return this.held.key();
	}

	/** Returns the value of the key, which is unique for each tenure. */
	Bytes holder() {
		return this.held.holder();
	}

	FencingToken token() {
		return this.held.token();
	}

	LeaseStatus status() {
		return this.status;
	}

	/** Returns the lock as an operator sees it. */
	LockStatus describe() {
		return new LockStatus(key(), LockHolder.describe(holder()), token(), remaining());
	}

	boolean isValid() {
		return this.status.isValid();
	}

	Duration remaining() {
		return this.status.remaining();
	}

	/** Returns the nanoseconds to the deadline, negative after it. */
	long remainingOrOverdue() {
		return this.deadline.remaining();
	}

	/** Adds a listener that must not block. It is called at once after a loss. */
	void onLost(Consumer<LockLoss> listener) {
		this.events.submit(() -> {
			LockLoss loss = this.status.loss();
			if (loss != null) {
				LossListeners.report(loss, listener);
			}
			else {
				this.lossListeners.add(listener);
			}
		});
	}

	/** Watches the key from now on instead of from the first renewal. */
	void watchNow() {
		this.events.submit(() -> {
			if (checkHeld()) {
				this.guard.watch();
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
		this.events.submit(() -> {
			if (checkHeld()) {
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
	 * Checks whether the lock is still held after the store refused its token. The lock
	 * is lost unless its key is confirmed to be unchanged.
	 * @return whether the lock is still held
	 */
	CompletableFuture<Boolean> verify() {
		CompletableFuture<Boolean> verified = new CompletableFuture<>();
		this.events.submit(() -> {
			if (!checkHeld()) {
				verified.complete(false);
				return;
			}
			this.verifications.add(verified);
			if (!this.renewal.isInFlight()) {
				verifyKey();
			}
			Runnable cancel = this.held.time().schedule(terms().renewalTimeout(), () -> this.events.submit(() -> {
				if (!verified.isDone() && checkHeld()) {
					lost(Reason.FENCED, null);
				}
			}));
			verified.whenComplete((held, failure) -> cancel.run());
		});
		return verified;
	}

	/**
	 * Ends the tenure.
	 * @param keep time for which the store keeps the lock nevertheless, zero to release
	 * it now
	 * @return whether the lock was held up to its release, as far as is known
	 */
	CompletableFuture<Boolean> release(Duration keep) {
		this.events.submit(() -> {
			if (checkHeld()) {
				this.status.becomeReleasing();
				this.release.keepFor(keep);
				end();
				if (!this.renewal.isInFlight()) {
					this.release.send();
				}
			}
			else if (this.status.state() == State.LOST) {
				this.release.result().complete(false);
				this.cleanup.released(keep.isZero());
				if (!this.renewal.isInFlight()) {
					cleanUp();
				}
			}
		});
		return this.release.result();
	}

	/** Ends the tenure because of a loss that was detected elsewhere. */
	void lose(Reason reason) {
		this.status.announceLoss(reason);
		this.events.submit(() -> {
			if (checkHeld()) {
				lost(reason, null);
			}
		});
	}

	/** Returns a future that completes when the lock is released or lost. */
	CompletableFuture<Void> over() {
		return this.over;
	}

	/** Returns a future that completes after the last request of this tenure. */
	CompletableFuture<Void> ended() {
		return this.ended;
	}

	@Override
	public LockTerms terms() {
		return this.renewal.terms();
	}

	@Override
	public void schedule(Duration delay, Runnable event) {
		this.cancelTick.run();
		this.cancelTick = this.held.time().schedule(delay, () -> this.events.submit(event));
	}

	@Override
	public boolean checkHeld() {
		if (this.status.state() == State.HELD && this.deadline.isOver()) {
			lost(this.deadline.reason(), this.renewal.failure());
		}
		return this.status.state() == State.HELD;
	}

	private void scheduleTick() {
		if (this.status.state() == State.HELD) {
			boolean renewal = this.renewal.isScheduled() && this.renewal.dueAt() - this.deadline.at() < 0;
			long nanos = renewal ? this.renewal.dueAt() - this.held.now() : this.deadline.remaining();
			schedule(Duration.ofNanos(Math.max(0, nanos)), this::tick);
		}
	}

	private void tick() {
		if (!checkHeld()) {
			return;
		}
		if (this.renewal.isDue() && !this.renewalCondition.getAsBoolean()) {
			lost(Reason.ABANDONED, null);
			return;
		}
		this.renewal.tick();
		scheduleTick();
	}

	@Override
	public void renewalEnded() {
		switch (this.status.state()) {
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
			completeVerifications(true);
		}
		else {
			this.guard.check();
		}
	}

	private void completeVerifications(boolean held) {
		List<CompletableFuture<Boolean>> verifications = List.copyOf(this.verifications);
		this.verifications.clear();
		verifications.forEach((verification) -> verification.complete(held));
	}

	@Override
	public void lost(Reason reason, @Nullable Throwable cause) {
		if (this.status.state() == State.LOST) {
			return;
		}
		LockLoss loss = this.status.becomeLost(reason, cause);
		this.held.monitor().lost(reason);
		this.release.result().complete(false);
		this.lossListeners.report(loss);
		this.lossListeners.clear();
		end();
		if (!this.renewal.isInFlight()) {
			cleanUp();
		}
	}

	private void cleanUp() {
		LockLoss loss = this.status.loss();
		if (loss != null) {
			this.cleanup.run(loss, this.renewal.isPossiblyApplied(), terms());
		}
	}

	/** Ends all activity except the release or cleanup. */
	private void end() {
		this.cancelTick.run();
		this.guard.close();
		this.renewal.end();
		completeVerifications(false);
		this.over.complete(null);
	}

	@Override
	public void released() {
		this.status.becomeReleased();
		end();
		this.ended.complete(null);
	}

	/** Loses the lock after an unexpected failure, because it is no longer renewed. */
	private void eventFailed(Throwable failure) {
		this.renewal.abandon();
		if (this.status.state() == State.HELD || this.status.state() == State.RELEASING) {
			lost(Reason.EXPIRED, failure);
		}
		else {
			this.ended.complete(null);
		}
	}

	/** Processes the results of the guard. */
	private final class GuardListener implements KeyGuard.Listener {

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
			if (checkHeld()) {
				completeVerifications(true);
				Lease.this.renewal.keyUnchanged();
				scheduleTick();
			}
		}

		@Override
		public void interrupted() {
			if (checkHeld()) {
				Lease.this.renewal.watchInterrupted();
				scheduleTick();
			}
		}

		@Override
		public void checkFailed(StateStoreException failure) {
			if (checkHeld()) {
				Lease.this.renewal.checkFailed(failure);
			}
		}

		@Override
		public void lost(Reason reason) {
			if (checkHeld()) {
				boolean refused = !Lease.this.verifications.isEmpty();
				Lease.this.lost(refused ? Reason.FENCED : reason, null);
			}
		}

	}

}
