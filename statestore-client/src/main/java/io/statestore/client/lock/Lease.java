package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.statestore.client.DeleteResult;
import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of one tenure of a lock, from its acquisition to its release or loss (protocol
 * section 7, number 4 and 6). A state machine: {@link State} says where it stands, events
 * come one at a time.
 * <p>
 * Before it does anything else, every event looks at the deadline: a process that was
 * paused finds out that it has lost the lock before it could renew it.
 */
final class Lease {

	/** HELD leads to LOST or RELEASING, and RELEASING to RELEASED or LOST. */
	enum State {

		HELD, RELEASING, RELEASED, LOST

	}

	private static final Logger logger = LoggerFactory.getLogger(Lease.class);

	private final SerialEvents events = new SerialEvents(this::broken);

	private final List<Consumer<LockLoss>> lossListeners = new ArrayList<>();

	private final List<CompletableFuture<Boolean>> renewalWaiters = new ArrayList<>();

	/** Those whom the renewal in flight serves. */
	private List<CompletableFuture<Boolean>> served = List.of();

	private final CompletableFuture<Boolean> released = new CompletableFuture<>();

	/** Whatever the store had to be told was told, or never will be. */
	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final Key key;

	private final LockStore store;

	private final LockTime time;

	private final Bytes holder;

	private final FencingToken token;

	private LockTerms terms;

	private volatile State state = State.HELD;

	/** When the lease ends for us; read by any thread. */
	private volatile long deadline;

	private volatile @Nullable LockLoss loss;

	/** Why it is about to be lost, before that is processed. */
	private volatile @Nullable Reason doomed;

	/** When to send the next renewal. */
	private long renewAt;

	private boolean renewalInFlight;

	/** Until when to keep the lock after its release. */
	private long keepUntil;

	/** Whether a release was sent of which nobody knows what became. */
	private boolean releaseUncertain;

	/** Asked before each renewal. */
	private volatile BooleanSupplier renewalCondition = () -> true;

	/** Whether the holder has released the lock after it was lost. */
	private boolean leftAfterLoss;

	private LockStore.@Nullable Watch watch;

	private Runnable cancelTick = () -> {
	};

	/**
	 * @param sentAt before the request was sent that acquired the lock
	 */
	Lease(Key key, LockStore store, LockTime time, LockTerms terms, Bytes holder, FencingToken token, long sentAt) {
		this.key = key;
		this.store = store;
		this.time = time;
		this.terms = terms;
		this.holder = holder;
		this.token = token;
		granted(sentAt, terms);
	}

	/** Begin to look after it. */
	void start() {
		this.events.submit(this::scheduleTick);
	}

	/** Renews the lease only as long as this condition holds; it must not block. */
	void renewWhile(BooleanSupplier condition) {
		this.renewalCondition = condition;
	}

	FencingToken token() {
		return this.token;
	}

	/** Whether the lock is surely held at this moment, without asking anybody. */
	boolean isValid() {
		return this.state == State.HELD && this.doomed == null && this.time.nanoTime() - this.deadline < 0;
	}

	/** What is left of the lease as far as it can be relied on; zero if it is lost. */
	Duration remaining() {
		long left = this.deadline - this.time.nanoTime();
		return (isValid() && left > 0) ? Duration.ofNanos(left) : Duration.ZERO;
	}

	/** Nanoseconds to the deadline, negative after it. */
	long remainingOrOverdue() {
		return this.deadline - this.time.nanoTime();
	}

	/** How it was lost, {@code null} if it was not. */
	@Nullable LockLoss loss() {
		return this.loss;
	}

	/** How it was lost, or why it cannot be used any more. */
	LockLoss lossOrEnd() {
		LockLoss loss = this.loss;
		if (loss != null) {
			return loss;
		}
		Reason reason = this.doomed;
		if (reason == null) {
			reason = (this.state == State.HELD) ? Reason.EXPIRED : Reason.RELEASED;
		}
		return new LockLoss(this.key, this.token, reason);
	}

	/** Be told of the loss, now if it has happened. The listener must not block. */
	void onLost(Consumer<LockLoss> listener) {
		this.events.submit(() -> {
			LockLoss loss = this.loss;
			if (loss != null) {
				listener.accept(loss);
			}
			else {
				this.lossListeners.add(listener);
			}
		});
	}

	/** Observe the key from now on, and not only once it was renewed. */
	void watchNow() {
		this.events.submit(() -> {
			if (isHeld()) {
				watch();
			}
		});
	}

	/**
	 * Renew now.
	 * @param length the lease from now on, {@code null} to leave it
	 * @return whether it was renewed; {@code false} if the lock is lost or released.
	 * Fails with a {@link StateStoreException} if nobody knows
	 */
	CompletableFuture<Boolean> renew(@Nullable Duration length) {
		CompletableFuture<Boolean> renewed = new CompletableFuture<>();
		this.events.submit(() -> {
			if (!isHeld()) {
				renewed.complete(false);
				return;
			}
			if (length != null) {
				this.terms = new LockTerms(length, this.terms.renewing());
			}
			this.renewalWaiters.add(renewed);
			this.renewAt = this.time.nanoTime();
			tick();
		});
		return renewed;
	}

	/**
	 * End the tenure.
	 * @param keep how long the store keeps the lock all the same, zero to free it now
	 * @return whether it was held to the end, as far as anybody knows
	 */
	CompletableFuture<Boolean> release(Duration keep) {
		this.events.submit(() -> {
			if (isHeld()) {
				this.state = State.RELEASING;
				this.keepUntil = this.time.nanoTime() + keep.toNanos();
				stopWatching();
				complete(this.renewalWaiters, false, null);
				this.renewalWaiters.clear();
				if (!this.renewalInFlight) {
					sendRelease();
				}
			}
			else if (this.state == State.LOST) {
				this.released.complete(false);
				this.leftAfterLoss = keep.isZero();
				if (isLeftToLease(this.loss) && this.leftAfterLoss && !this.renewalInFlight) {
					giveBack();
				}
			}
		});
		return this.released;
	}

	/** Something outside has found out that the lock is lost, or must be. */
	void lose(Reason reason) {
		this.doomed = reason;
		this.events.submit(() -> {
			if (isHeld()) {
				lost(reason);
			}
		});
	}

	/** Completed when it is over and the store need not hear of it any more. */
	CompletableFuture<Void> ended() {
		return this.ended;
	}

	private boolean isHeld() {
		if (this.state == State.HELD && this.time.nanoTime() - this.deadline >= 0) {
			lost(Reason.EXPIRED);
		}
		return this.state == State.HELD;
	}

	/** The store has granted these terms, which need not be those of the next renewal. */
	private void granted(long sentAt, LockTerms terms) {
		this.deadline = sentAt + terms.reliable().toNanos();
		this.renewAt = sentAt + terms.renewalInterval().toNanos();
	}

	private void scheduleTick() {
		if (this.state == State.HELD) {
			boolean renewal = isRenewalWanted() && !this.renewalInFlight && this.renewAt - this.deadline < 0;
			schedule((renewal ? this.renewAt : this.deadline) - this.time.nanoTime(), this::tick);
		}
	}

	private void schedule(long nanos, Runnable event) {
		this.cancelTick.run();
		this.cancelTick = this.time.schedule(Duration.ofNanos(Math.max(0, nanos)), () -> this.events.submit(event));
	}

	private boolean isRenewalWanted() {
		return this.terms.renewing() || !this.renewalWaiters.isEmpty();
	}

	private void tick() {
		if (!isHeld()) {
			return;
		}
		if (isRenewalWanted() && !this.renewalInFlight && this.time.nanoTime() - this.renewAt >= 0) {
			if (!this.renewalCondition.getAsBoolean()) {
				lost(Reason.ABANDONED);
				return;
			}
			sendRenewal();
		}
		scheduleTick();
	}

	private void sendRenewal() {
		LockTerms terms = this.terms;
		long sentAt = this.time.nanoTime();
		// A shorter lease counts from when the store may have heard of it.
		long earlier = sentAt + terms.reliable().toNanos();
		if (earlier - this.deadline < 0) {
			this.deadline = earlier;
		}
		this.served = List.copyOf(this.renewalWaiters);
		this.renewalWaiters.clear();
		this.renewalInFlight = true;
		this.store.set(this.holder, terms.lease(), terms.renewalTimeout(),
				(result, failure) -> this.events.submit(() -> renewed(sentAt, terms, result, failure)));
	}

	private void renewed(long sentAt, LockTerms terms, @Nullable SetResult result,
			@Nullable StateStoreException failure) {
		this.renewalInFlight = false;
		if (this.state == State.RELEASING) {
			sendRelease();
		}
		else if (this.state == State.LOST) {
			giveBack();
		}
		else if (isHeld()) {
			if (result == null) {
				logger.debug("Lock {} was not renewed, which is tried again", this.key, failure);
				this.renewAt = this.time.nanoTime() + this.terms.renewalRetry().toNanos();
			}
			else if (result.applied()) {
				granted(sentAt, terms);
				if (!this.renewalWaiters.isEmpty()) {
					this.renewAt = this.time.nanoTime();
				}
				watch();
			}
			else {
				lost(Reason.TAKEN);
			}
		}
		complete(this.served, this.state == State.HELD, (this.state == State.HELD) ? failure : null);
		scheduleTick();
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

	/**
	 * A tenure that lasts is worth an observation: then the end of the lock is known at
	 * once and not only when the next renewal is refused.
	 */
	private void watch() {
		if (this.watch == null && this.terms.renewing()) {
			this.watch = this.store.watch(new LockStore.Watcher() {

				@Override
				public void started() {
					// What happened before was not seen, and a renewal brings a key back
					// that somebody has deleted.
					Lease.this.events.submit(Lease.this::verify);
				}

				@Override
				public void changed(KeyChange<Bytes> change) {
					Lease.this.events.submit(() -> keyChanged(change));
				}

			});
		}
	}

	private void stopWatching() {
		if (this.watch != null) {
			this.watch.close();
			this.watch = null;
		}
	}

	private void keyChanged(KeyChange<Bytes> change) {
		if (!isHeld() || this.holder.equals(change.value())) {
			return;
		}
		if (change.operation() == Operation.DELETE && change.resynchronised()) {
			// It has no version of its own, so this may be from before the acquisition.
			verify();
		}
		else if (change.version().compareTo(this.token.version()) > 0) {
			lost((change.operation() == Operation.DELETE) ? Reason.DELETED : Reason.TAKEN);
		}
	}

	private void verify() {
		if (isHeld()) {
			this.store.read(this.terms.renewalTimeout(), (value, failure) -> this.events.submit(() -> verify(value)));
		}
	}

	private void verify(@Nullable Bytes value) {
		if (value != null && isHeld() && !this.holder.equals(value)) {
			lost(value.isEmpty() ? Reason.DELETED : Reason.TAKEN);
		}
	}

	private void lost(Reason reason) {
		LockLoss loss = new LockLoss(this.key, this.token, reason);
		this.loss = loss;
		this.state = State.LOST;
		this.released.complete(false);
		complete(this.served, false, null);
		complete(this.renewalWaiters, false, null);
		this.lossListeners.forEach((listener) -> tell(listener, loss));
		this.lossListeners.clear();
		end();
		if (this.renewalInFlight) {
			// It may come through; what it gives is given back afterwards.
			return;
		}
		if (reason == Reason.TAKEN) {
			this.ended.complete(null);
		}
		else {
			giveBack();
		}
	}

	/** A renewal may have come through, and nobody would use what it gave. */
	private void giveBack() {
		if (isLeftToLease(this.loss) && !this.leftAfterLoss) {
			this.ended.complete(null);
			return;
		}
		this.store.delete(this.holder, this.terms.replyTimeout(), (result, failure) -> this.ended.complete(null));
	}

	/** Whether the section under the lock may still run in spite of the loss. */
	private static boolean isLeftToLease(@Nullable LockLoss loss) {
		return loss != null && loss.reason() == Reason.STOPPED;
	}

	private void tell(Consumer<LockLoss> listener, LockLoss loss) {
		try {
			listener.accept(loss);
		}
		catch (RuntimeException | Error ex) {
			logger.error("The loss of lock {} could not be told", this.key, ex);
		}
	}

	/** Who cannot look after a lock does not hold it much longer. */
	private void broken(Throwable failure) {
		this.renewalInFlight = false;
		if (this.state == State.HELD || this.state == State.RELEASING) {
			lost(Reason.EXPIRED);
		}
		else {
			this.ended.complete(null);
		}
	}

	private void end() {
		this.cancelTick.run();
		stopWatching();
	}

	private void sendRelease() {
		Duration left = Duration.ofNanos(Math.max(0, this.deadline - this.time.nanoTime()));
		Duration timeout = LockTerms.atLeastOneMilli(LockTerms.min(left, this.terms.replyTimeout()));
		Duration keep = Duration.ofNanos(this.keepUntil - this.time.nanoTime());
		if (keep.toMillis() <= 0) {
			this.store.delete(this.holder, timeout,
					(result, failure) -> this.events.submit(() -> released(wasHeld(result), Reason.DELETED, failure)));
		}
		else {
			this.store.set(this.holder, keep, timeout, (result, failure) -> this.events
				.submit(() -> released((result != null) ? result.applied() : null, Reason.TAKEN, failure)));
		}
	}

	private static @Nullable Boolean wasHeld(@Nullable DeleteResult result) {
		return (result != null) ? result.outcome() == Outcome.DELETED : null;
	}

	private void released(@Nullable Boolean held, Reason otherwise, @Nullable StateStoreException failure) {
		boolean ended = this.time.nanoTime() - this.deadline >= 0;
		if (held == null) {
			this.releaseUncertain |= !(failure instanceof StateStoreNotSentException);
			if (!this.released.isDone()) {
				logger.warn(
						"The release of lock {} is not confirmed. The store frees it at the end of its lease, in {}",
						this.key, this.terms.lease(), failure);
				this.released.complete(true);
			}
			if (!ended) {
				schedule(this.terms.renewalRetry().toNanos(), this::sendRelease);
				return;
			}
		}
		else if (!held && !this.releaseUncertain && !ended) {
			// It ended before its time, but not before its holder was done.
			lost(otherwise);
			return;
		}
		this.state = State.RELEASED;
		end();
		this.released.complete(true);
		this.ended.complete(null);
	}

}
