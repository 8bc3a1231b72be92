package io.statestore.client.lock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.LockLostEvent.Reason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.util.CheckedCallable;

/**
 * Distributed lock in a state store. Among all processes that use the store, at most one
 * thread holds it. Its fencing token lets the store refuse writes from a holder that has
 * lost the lock (Kleppmann 2016, "How to do distributed locking"; protocol sections 5 and
 * 7).
 * <p>
 * <b>Threads.</b> Like a {@link java.util.concurrent.locks.ReentrantLock}, the lock is
 * held by one thread at a time. That thread may acquire it again, and must unlock it once
 * for each acquisition. If the thread ends without doing so, the lock is lost and
 * released. Different registries compete for a lock like different processes. The lock is
 * not fair.
 * <p>
 * <b>Lease.</b> The store keeps the lock for a lease, which is renewed in the background
 * while the lock is held. The lock is <em>lost</em> if no renewal is confirmed in time,
 * if its {@linkplain #withMaxHold maximum hold} ends, or if the store reports that its
 * key was deleted or has another holder. After a loss, {@link #isValid()} returns
 * {@code false}. Unless the key was deleted, it does so before the store grants the lock
 * to another holder. Listeners are notified, and writes through {@link #operations()} are
 * refused.
 * <p>
 * A lost lock stays occupied within this process until the thread that held it has
 * unlocked it. Until then, {@link LockLostException} is thrown whenever that thread calls
 * {@link #unlock()}, {@code execute}, or a method that acquires the lock, including
 * nested calls.
 * <p>
 * <b>Waiting.</b> A waiter watches the key. It repeats its request when the lock is
 * released, and at least once per lease. {@link #lock()} and {@link #lockInterruptibly()}
 * keep waiting during connection outages. {@code tryLock} returns {@code false} if
 * another holder kept the lock until the wait timed out. It throws if the store has not
 * answered within the wait time or within one second, whichever is longer.
 * <p>
 * Methods that acquire the lock throw
 * <ul>
 * <li>{@link LockLostException} if this thread holds the lock and has lost it,</li>
 * <li>{@link io.statestore.client.StateStoreRefusedException} if the store refused the
 * request,</li>
 * <li>{@link io.statestore.client.StateStoreInvalidRequestException} if the key is too
 * long for the broker,</li>
 * <li>{@link io.statestore.client.StateStoreNotSentException} or
 * {@link io.statestore.client.StateStoreOutcomeUnknownException} if the store did not
 * answer; if it may have granted the lock, the lock is released,</li>
 * <li>{@link IllegalStateException} if the registry was stopped before or during the
 * wait, or if this thread runs a {@linkplain HeldLock#call section} of this lock's
 * tenure, which another thread holds.</li>
 * </ul>
 */
public final class FencedLock implements DistributedLock {

	private final KeyLock lock;

	/** Lock terms for the methods without a lease parameter. */
	private final LockTerms terms;

	/** Lease before it is limited by the maximum hold. */
	private final Duration lease;

	FencedLock(KeyLock lock, Duration lease, @Nullable Duration maxHold) {
		this.lock = lock;
		this.lease = lease;
		this.terms = new LockTerms(lease, true, maxHold);
	}

	/**
	 * Returns the lock's key in the store.
	 * @return the key, with the prefixes of the template and the registry
	 */
	public Key key() {
		return this.lock.key;
	}

	/**
	 * Marks this lock as the lock of a leader role. From the next acquisition on, the
	 * holder name in the store ends with {@code /leader}, so that tools can list a
	 * store's leaders. Has no other effect.
	 */
	public void markLeader() {
		this.lock.leader = true;
	}

	/**
	 * Waits for the lock indefinitely. An interrupt does not end the wait; the thread's
	 * interrupt flag is set again afterward.
	 * @throws LockLostException if this thread holds the lock and has lost it
	 * @throws IllegalStateException if the registry is stopped
	 */
	@Override
	public void lock() {
		lock(this.terms, WaitLimit.FOREVER);
	}

	/**
	 * Waits for the lock like {@link #lock()}, but with another lease, which is also
	 * renewed while the lock is held.
	 * @param ttl the lease, 100 ms to a day
	 * @throws LockLostException if this thread holds the lock and has lost it
	 * @throws IllegalArgumentException if the lease is out of range
	 * @throws IllegalStateException if the registry is stopped
	 */
	@Override
	public void lock(Duration ttl) {
		lock(terms(ttl), WaitLimit.FOREVER);
	}

	/**
	 * Waits for the lock like {@link #lock()}, unless the thread is interrupted.
	 * @throws InterruptedException if interrupted while waiting
	 * @throws LockLostException if this thread holds the lock and has lost it
	 * @throws IllegalStateException if the registry is stopped
	 */
	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.lock.lock(this.terms, WaitLimit.FOREVER, true);
	}

	/**
	 * Acquires the lock with a single request.
	 * @return {@code false} if another holder has the lock
	 * @throws LockLostException if this thread holds the lock and has lost it. The thread
	 * must still unlock it once for each acquisition
	 * @throws StateStoreException if the store refused the request, or did not answer
	 * within a second
	 */
	@Override
	public boolean tryLock() {
		return lock(this.terms, 0);
	}

	/**
	 * Waits for the lock up to a limit.
	 * @param time maximum time to wait; zero or less for a single request
	 * @param unit unit of {@code time}
	 * @return {@code false} if another holder had the lock during the entire wait
	 * @throws InterruptedException if interrupted while waiting
	 * @throws LockLostException if this thread holds the lock and has lost it
	 * @throws StateStoreException if the store refused the request, or did not answer
	 */
	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return this.lock.lock(this.terms, unit.toNanos(time), true);
	}

	/**
	 * Waits for the lock like {@link #tryLock(long, TimeUnit)}, but with another lease,
	 * which is also renewed while the lock is held.
	 * @param waitTime maximum time to wait; zero or less for a single request
	 * @param ttl the lease, 100 ms to a day
	 * @return {@code false} if another holder had the lock during the entire wait
	 * @throws InterruptedException if interrupted while waiting
	 * @throws IllegalArgumentException if the lease is out of range
	 * @throws LockLostException if this thread holds the lock and has lost it
	 * @throws StateStoreException if the store refused the request, or did not answer
	 */
	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return this.lock.lock(terms(ttl), nanos(waitTime), true);
	}

	private boolean lock(LockTerms terms, long waitNanos) {
		return LockTime.uninterruptibly(() -> this.lock.lock(terms, waitNanos, false));
	}

	private LockTerms terms(Duration ttl) {
		return this.terms.withLease(LockOptions.requireLease("ttl", ttl));
	}

	private static long nanos(Duration waitTime) {
		return TimeUnit.NANOSECONDS.convert(waitTime);
	}

	/**
	 * Releases one hold on the lock. Releasing the last hold releases the lock and waits
	 * until the store has confirmed this, at most for the lease or 10 s. Without a
	 * confirmation, the store removes the lock when its lease ends.
	 * @throws LockLostException if the lock was lost. The hold is still released
	 * @throws IllegalMonitorStateException if this thread does not hold the lock
	 */
	@Override
	public void unlock() {
		this.lock.unlock();
	}

	/**
	 * Always throws an exception, because the lock does not support conditions.
	 * @return nothing
	 * @throws UnsupportedOperationException always
	 */
	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException(
				"A lock in a state store has no conditions. Watch a key with StateStoreOperations.watch instead");
	}

	/**
	 * Returns whether a thread of this process holds the lock, its lease has not ended,
	 * and no loss has been detected. Does not access the store.
	 * @return whether the lock is held and not lost
	 */
	public boolean isValid() {
		HeldLock held = this.lock.heldOrNull();
		return held != null && held.isValid();
	}

	/**
	 * Returns whether this thread has acquired the lock and not yet unlocked it, even if
	 * the lock is lost.
	 * @return whether this thread must still unlock the lock
	 */
	public boolean isHeldByCurrentThread() {
		return this.lock.local.isHeldByCurrentThread();
	}

	/**
	 * Returns the current tenure, held by any thread of this process. It may be lost
	 * already.
	 * @return the tenure
	 * @throws IllegalMonitorStateException if no thread of this process holds the lock
	 */
	public HeldLock heldLock() {
		return this.lock.held();
	}

	/**
	 * Returns the {@linkplain #heldLock() current tenure}'s fencing token.
	 * @return the fencing token
	 * @throws IllegalMonitorStateException if no thread of this process holds the lock
	 */
	public FencingToken token() {
		return heldLock().token();
	}

	/**
	 * Returns how long the lease lasts unless it is renewed.
	 * @return the remaining time, zero if the lock is not {@linkplain #isValid() valid}
	 */
	public Duration remaining() {
		HeldLock held = this.lock.heldOrNull();
		return (held != null) ? held.remaining() : Duration.ZERO;
	}

	/**
	 * Returns operations {@linkplain HeldLock#operations() fenced} by the current tenure.
	 * @return fenced operations
	 * @throws IllegalMonitorStateException if no thread of this process holds the lock
	 */
	public StateStoreOperations operations() {
		return heldLock().operations();
	}

	/**
	 * Adds a listener that is notified once of each loss of this lock.
	 * @param listener receives losses; may block without delaying renewals
	 */
	public void addLossListener(Consumer<LockLostEvent> listener) {
		this.lock.addLossListener(listener);
	}

	/**
	 * Removes a loss listener.
	 * @param listener listener to remove; ignored if it was not added
	 */
	public void removeLossListener(Consumer<LockLostEvent> listener) {
		this.lock.removeLossListener(listener);
	}

	/**
	 * Reads the lock's holder from the store.
	 * @return the holder, empty if the lock is free. For a holder that uses this library,
	 * its process's name and an acquisition number. For another client, the key's value,
	 * as {@code 0x} and hexadecimal digits if it is not printable
	 * @throws StateStoreException if the store does not answer
	 */
	public Optional<String> holder() {
		return this.lock.registry.holder(key());
	}

	/**
	 * Waits for the lock, runs a callback, and releases the lock.
	 * @param <T> type of the result
	 * @param <E> type of exception that the callback throws
	 * @param callback runs while the lock is held
	 * @return the callback's result
	 * @throws E if the callback throws
	 * @throws InterruptedException if interrupted while waiting for the lock
	 * @throws LockLostException if the lock was lost before the callback ended. If the
	 * callback threw, its exception is thrown instead, with this exception suppressed in
	 * it
	 */
	public <T, E extends Exception> T execute(Callback<T, E> callback) throws E, InterruptedException {
		lockInterruptibly();
		return runAndUnlock(() -> callback.call(heldLock()));
	}

	/**
	 * Waits for the lock up to a limit, runs a callback, and releases the lock.
	 * @param <T> type of the result
	 * @param <E> type of exception that the callback throws
	 * @param waitTime maximum time to wait; zero or less for a single request
	 * @param callback runs while the lock is held
	 * @return the callback's result
	 * @throws E if the callback throws
	 * @throws InterruptedException if interrupted while waiting for the lock
	 * @throws TimeoutException if another holder had the lock during the entire wait
	 * @throws LockLostException if the lock was lost before the callback ended. If the
	 * callback threw, its exception is thrown instead, with this exception suppressed in
	 * it
	 */
	public <T, E extends Exception> T execute(Duration waitTime, Callback<T, E> callback)
			throws E, InterruptedException, TimeoutException {
		lockWithin(waitTime);
		return runAndUnlock(() -> callback.call(heldLock()));
	}

	/** Waits for this lock up to a limit. */
	void lockWithin(Duration waitTime) throws InterruptedException, TimeoutException {
		if (!this.lock.lock(this.terms, nanos(waitTime), true)) {
			throw new TimeoutException("Lock '" + key() + "' was not acquired within " + waitTime
					+ " because another holder has it. Wait longer, or try again later");
		}
	}

	/**
	 * Runs a task while this lock is held, and unlocks it. If both the task and the
	 * unlock throw, the task's exception is thrown, with the unlock's exception
	 * suppressed in it.
	 */
	<T, E extends Throwable> T runAndUnlock(CheckedCallable<T, E> task) throws E {
		T result;
		try {
			result = heldLock().call(task);
		}
		catch (Throwable ex) {
			try {
				unlock();
			}
			catch (RuntimeException unlockFailure) {
				ex.addSuppressed(unlockFailure);
			}
			throw ex;
		}
		unlock();
		return result;
	}

	/**
	 * Returns a view of this lock with a maximum hold time. When it has passed, the lock
	 * is lost with the {@link LockLostEvent.Reason#HOLD_ENDED HOLD_ENDED} reason, even if
	 * its holder is alive. The store can then grant the lock to another holder, even if
	 * this process is paused.
	 * <p>
	 * The maximum hold counts from the request that acquired the lock. For the holder, it
	 * ends earlier than in the store, by 1% of the lease. Acquiring the lock again within
	 * a section does not extend it. Until it ends, the lock is renewed, so a crashed
	 * holder's lock becomes free when its lease ends. If the maximum hold does not exceed
	 * the lease, the lock is never renewed; deletion of its key is then detected only
	 * after a call to {@link HeldLock#watch()}.
	 * @param maxHold 100 ms to 365 days
	 * @return a view of this lock that acquires it with the maximum hold
	 * @throws IllegalArgumentException if the maximum hold is out of range
	 */
	public FencedLock withMaxHold(Duration maxHold) {
		return new FencedLock(this.lock, this.lease, LockOptions.requireMaxHold(maxHold));
	}

	@Override
	public String toString() {
		HeldLock held = this.lock.heldOrNull();
		return "FencedLock[" + key() + ((held != null) ? ", held, " + held + "]" : "]");
	}

	/**
	 * Callback that runs while the lock is held.
	 *
	 * @param <T> type of the result
	 * @param <E> type of the exception
	 */
	@FunctionalInterface
	public interface Callback<T, E extends Exception> {

		/**
		 * Runs while the lock is held.
		 * @param held current tenure of the lock
		 * @return the result
		 * @throws E if the callback fails
		 */
		T call(HeldLock held) throws E;

	}

	/**
	 * A key's lock, which binds its tenures to threads. A thread first acquires the local
	 * lock, so at most one thread of this process requests the lock from the store. The
	 * thread keeps the local lock until it unlocks, even if the tenure is lost earlier.
	 */
	static final class KeyLock {

		private static final Logger logger = LoggerFactory.getLogger(FencedLock.class);

		/**
		 * Loss listeners for all tenures. While there are any, this lock is not garbage
		 * collected.
		 */
		private final List<Consumer<LockLostEvent>> lossListeners = new CopyOnWriteArrayList<>();

		/** Views of this lock, by lease. */
		private final Map<Duration, FencedLock> views = new ConcurrentHashMap<>();

		private final Key key;

		private final StateStoreLockRegistry registry;

		private final LocalLock<HeldLock> local;

		/**
		 * Section of the thread that holds the local lock, {@code null} before its tenure
		 * begins.
		 */
		private CurrentLocks.@Nullable Section section;

		/** Whether the holder name marks the holder as a leader. */
		private volatile boolean leader;

		KeyLock(Key key, StateStoreLockRegistry registry) {
			this.key = key;
			this.registry = registry;
			this.local = new LocalLock<>(registry.time(), () -> registry.requireRunning(key));
		}

		/** Returns the view of this lock with the given lease. */
		FencedLock view(Duration lease) {
			return this.views.computeIfAbsent(lease, (each) -> new FencedLock(this, each, null));
		}

		/**
		 * Waits for the lock.
		 * @param waitNanos maximum time to wait, zero or less for a single request
		 * @param interruptible whether an interrupt ends the wait; otherwise, the
		 * thread's interrupt flag is set again afterward
		 */
		boolean lock(LockTerms terms, long waitNanos, boolean interruptible) throws InterruptedException {
			if (interruptible && Thread.interrupted()) {
				throw new InterruptedException();
			}
			if (this.local.isHeldByCurrentThread()) {
				held().lease().status().requireValid();
				this.local.reenter();
				return true;
			}
			this.registry.requireRunning(this.key);
			this.registry.currentLocks().requireNone(this.key);
			WaitLimit limit = WaitLimit.of(this.registry.time(), waitNanos);
			return this.registry.measured(() -> this.local.tryLock(limit, interruptible)
					? acquire(terms, limit, interruptible) : null) != null;
		}

		/**
		 * Requests the lock from the store. The calling thread must hold the local lock.
		 */
		private @Nullable HeldLock acquire(LockTerms terms, WaitLimit limit, boolean interruptible)
				throws InterruptedException {
			HeldLock held = null;
			boolean begun = false;
			try {
				HeldLock abandoned = this.local.begin(null);
				if (abandoned != null) {
					abandoned.lease().lose(Reason.ABANDONED);
				}
				held = this.registry.acquire(this.key, terms, limit, this.leader, interruptible);
				if (held != null) {
					begin(held);
					begun = true;
				}
				return held;
			}
			finally {
				if (held != null && !begun) {
					held.lease().release();
				}
				if (!begun) {
					leave();
				}
			}
		}

		/** Makes the calling thread the owner of a tenure. */
		private void begin(HeldLock held) {
			Thread thread = Thread.currentThread();
			held.lease().renewWhile(thread::isAlive);
			this.local.begin(held);
			held.onLost((loss) -> {
				// Interrupt first, because listeners may block.
				if (this.registry.options().interruptHolder()) {
					this.local.interrupt(held);
				}
				reportLoss(loss);
			});
			this.section = this.registry.currentLocks().enter(held, this);
		}

		/** Releases the local lock. */
		private void leave() {
			if (this.section != null) {
				this.section.end();
				this.section = null;
			}
			this.local.unlock();
		}

		void unlock() {
			if (!this.local.isHeldByCurrentThread()) {
				throw new IllegalMonitorStateException("Lock '" + this.key
						+ "' is not held by this thread. Unlock it on the thread that locked it, and as often");
			}
			HeldLock held = held();
			if (this.local.holds() > 1) {
				this.local.unlock();
				held.lease().status().requireValid();
				return;
			}
			boolean valid;
			try {
				valid = this.registry.time().awaitUninterruptibly(this.registry.release(held.lease()));
			}
			finally {
				leave();
			}
			if (!valid) {
				throw new LockLostException(held.lease().status().lossOrEnd());
			}
		}

		/** Handles a loss. Called on a thread that may block. */
		private void reportLoss(LockLostEvent loss) {
			logger.warn("Lock {} was lost: {}", loss.key(), loss.description());
			this.lossListeners.forEach((listener) -> HeldLock.notify(listener, loss));
		}

		/**
		 * Returns the current tenure, or {@code null} if no thread holds the lock. If the
		 * holding thread has died, it counts as the holder until the tenure is lost.
		 */
		@Nullable HeldLock heldOrNull() {
			HeldLock held = this.local.held();
			return (held != null && (this.local.hasLivingOwner() || held.isValid())) ? held : null;
		}

		/**
		 * Returns the current tenure.
		 * @throws IllegalMonitorStateException if no thread holds the lock
		 */
		HeldLock held() {
			HeldLock held = heldOrNull();
			if (held == null) {
				throw new IllegalMonitorStateException(
						"Lock '" + this.key + "' is not held through this registry. Acquire it first");
			}
			return held;
		}

		synchronized void addLossListener(Consumer<LockLostEvent> listener) {
			this.lossListeners.add(listener);
			this.registry.keep(this, true);
		}

		synchronized void removeLossListener(Consumer<LockLostEvent> listener) {
			this.lossListeners.remove(listener);
			this.registry.keep(this, !this.lossListeners.isEmpty());
		}

		/** Wakes local waiters, whose waits end if the registry is stopped. */
		void wakeWaiters() {
			this.local.wakeWaiters();
		}

	}

}
