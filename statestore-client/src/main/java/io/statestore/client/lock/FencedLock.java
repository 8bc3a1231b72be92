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
 * Distributed lock in a state store. At most one thread of all processes that use the
 * store holds it. Its fencing token lets the store refuse the writes of a holder that has
 * lost the lock (Kleppmann 2016, "How to do distributed locking"; protocol sections 5 and
 * 7).
 * <p>
 * <b>Threads.</b> Like a {@link java.util.concurrent.locks.ReentrantLock}, it is held by
 * one thread at a time. That thread may acquire it again, and must unlock it once for
 * each acquisition. If the thread ends without doing so, the lock is lost and released.
 * Locks of different registries exclude each other like two processes. The lock is not
 * fair.
 * <p>
 * <b>Lease.</b> The store keeps the lock for a lease, which is renewed in the background
 * while the lock is held. The lock is <em>lost</em> if no renewal is confirmed in time,
 * if its {@linkplain #withMaxHold maximum hold} ends, or if the store reports another
 * holder or none. After a loss {@link #isValid()} returns {@code false}. Unless the key
 * was deleted, it does so before the store grants the lock to another holder. Listeners
 * are notified, and writes through {@link #operations()} are refused.
 * <p>
 * A lost lock stays occupied within this process until the thread that held it has
 * unlocked it. Until then each call of that thread to acquire, {@link #unlock()} or
 * {@code execute} throws {@link LockLostException}, including nested calls.
 * <p>
 * <b>Waiting.</b> A waiter watches the key. It repeats its request when the lock is
 * released, and at least once per lease. {@link #lock()} and {@link #lockInterruptibly()}
 * wait through outages of the connection. {@code tryLock} returns {@code false} if
 * another holder kept the lock until the wait timed out. It throws if the store has not
 * answered within that time, or within a second if the time is shorter.
 * <p>
 * All methods that acquire the lock throw
 * <ul>
 * <li>{@link LockLostException} if this thread holds the lock and has lost it,</li>
 * <li>{@link io.statestore.client.StateStoreRefusedException} if the store refused,</li>
 * <li>{@link io.statestore.client.StateStoreInvalidRequestException} if the key is too
 * long for the broker,</li>
 * <li>{@link io.statestore.client.StateStoreNotSentException} or
 * {@link io.statestore.client.StateStoreOutcomeUnknownException} if the store did not
 * answer; a lock that it may have granted is released,</li>
 * <li>{@link IllegalStateException} if the registry is stopped, before or during the
 * wait, or if this thread runs a {@linkplain HeldLock#call section} of a tenure that
 * another thread holds.</li>
 * </ul>
 */
public final class FencedLock implements DistributedLock {

	private final KeyLock lock;

	/** Terms of the methods without a lease parameter. */
	private final LockTerms terms;

	/** Lease without regard to the maximum hold, which shortens that of the terms. */
	private final Duration lease;

	FencedLock(KeyLock lock, Duration lease, @Nullable Duration maxHold) {
		this.lock = lock;
		this.lease = lease;
		this.terms = new LockTerms(lease, true, maxHold);
	}

	/**
	 * Returns the key of the lock in the store.
	 * @return the key, with the prefixes of the template and the registry
	 */
	public Key key() {
		return this.lock.key;
	}

	/**
	 * Marks this lock as that of a leader role. From the next acquisition on, the name of
	 * the holder in the store ends with {@code /leader}, so that tools can list the
	 * leaders of a store. Has no other effect.
	 */
	public void markLeader() {
		this.lock.leader = true;
	}

	/**
	 * Waits for the lock without limit. An interrupt does not end the wait; the thread is
	 * interrupted again afterward.
	 * @throws LockLostException if this thread holds the lock and has lost it
	 * @throws IllegalStateException if the registry is stopped
	 */
	@Override
	public void lock() {
		lock(this.terms, WaitLimit.FOREVER);
	}

	/**
	 * Waits for the lock like {@link #lock()}, but with another lease. It is also renewed
	 * while the lock is held.
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
	 * @return {@code false} if another holder has it
	 * @throws LockLostException if this thread holds the lock and has lost it. The thread
	 * must still unlock it once for each acquisition
	 * @throws StateStoreException if the store refused, or did not answer within a second
	 */
	@Override
	public boolean tryLock() {
		return lock(this.terms, 0);
	}

	/**
	 * Waits for the lock up to a limit.
	 * @param time longest wait; zero or less for a single request
	 * @param unit unit of the time
	 * @return {@code false} if another holder had it during the whole wait
	 * @throws InterruptedException if interrupted while waiting
	 * @throws LockLostException if this thread holds the lock and has lost it
	 * @throws StateStoreException if the store refused, or has not answered
	 */
	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return this.lock.lock(this.terms, unit.toNanos(time), true);
	}

	/**
	 * Waits for the lock like {@link #tryLock(long, TimeUnit)}, but with another lease.
	 * It is also renewed while the lock is held.
	 * @param waitTime longest wait; zero or less for a single request
	 * @param ttl the lease, 100 ms to a day
	 * @return {@code false} if another holder had it during the whole wait
	 * @throws InterruptedException if interrupted while waiting
	 * @throws IllegalArgumentException if the lease is out of range
	 * @throws LockLostException if this thread holds the lock and has lost it
	 * @throws StateStoreException if the store refused, or has not answered
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
	 * Releases one hold of the lock. Releasing the last hold releases the lock, and waits
	 * until the store has confirmed it, up to the lease or 10 s. Without a confirmation
	 * the store removes the lock at the end of its lease.
	 * @throws LockLostException if the lock was lost. The hold is released nevertheless
	 * @throws IllegalMonitorStateException if this thread does not hold the lock
	 */
	@Override
	public void unlock() {
		this.lock.unlock();
	}

	/**
	 * Throws an exception, because the lock has no conditions.
	 * @return nothing
	 * @throws UnsupportedOperationException always
	 */
	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException(
				"A lock in a state store has no conditions. Watch a key with StateStoreOperations.watch instead");
	}

	/**
	 * Returns whether a thread of this process holds the lock, its lease is not over, and
	 * no loss has been detected. Does not ask the store.
	 * @return whether the lock is held and not lost
	 */
	public boolean isValid() {
		HeldLock held = this.lock.heldOrNull();
		return held != null && held.isValid();
	}

	/**
	 * Returns whether this thread has acquired the lock and not yet unlocked it, even if
	 * the lock is lost.
	 * @return whether this thread must unlock it
	 */
	public boolean isHeldByCurrentThread() {
		return this.lock.local.isHeldByCurrentThread();
	}

	/**
	 * Returns the current tenure of any thread of this process, even if it is lost.
	 * @return the tenure
	 * @throws IllegalMonitorStateException if no thread of this process holds the lock
	 */
	public HeldLock heldLock() {
		return this.lock.held();
	}

	/**
	 * Returns the token of the {@linkplain #heldLock() current tenure}.
	 * @return the token
	 * @throws IllegalMonitorStateException if no thread of this process holds the lock
	 */
	public FencingToken token() {
		return heldLock().token();
	}

	/**
	 * Returns the time left of the lease without a further renewal.
	 * @return the time, zero if the lock is not validly held
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
	 * Adds a listener, which is notified once of each loss of this lock. It may block:
	 * its thread does not delay renewals.
	 * @param listener receives losses
	 */
	public void addLossListener(Consumer<LockLostEvent> listener) {
		this.lock.addLossListener(listener);
	}

	/**
	 * Removes a loss listener.
	 * @param listener to remove
	 */
	public void removeLossListener(Consumer<LockLostEvent> listener) {
		this.lock.removeLossListener(listener);
	}

	/**
	 * Reads the holder of the lock from the store.
	 * @return empty if the lock is free. For a holder that uses this library, the name of
	 * its process and a number of the acquisition. For another client, the value of the
	 * key, in hexadecimal digits after {@code 0x} if it is not readable text
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
	 * @return the result of the callback
	 * @throws E if the callback throws
	 * @throws InterruptedException if interrupted while waiting for the lock
	 * @throws LockLostException if the lock was lost before the end of the callback. If
	 * the callback threw, its exception is thrown and this one is suppressed in it
	 */
	public <T, E extends Exception> T execute(Callback<T, E> callback) throws E, InterruptedException {
		lockInterruptibly();
		return runAndUnlock(() -> callback.call(heldLock()));
	}

	/**
	 * Waits for the lock up to a limit, runs a callback, and releases the lock.
	 * @param <T> type of the result
	 * @param <E> type of exception that the callback throws
	 * @param waitTime longest wait; zero or less for a single request
	 * @param callback runs while the lock is held
	 * @return the result of the callback
	 * @throws E if the callback throws
	 * @throws InterruptedException if interrupted while waiting for the lock
	 * @throws TimeoutException if another holder had the lock during the whole wait
	 * @throws LockLostException if the lock was lost before the end of the callback. If
	 * the callback threw, its exception is thrown and this one is suppressed in it
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
	 * unlock throw, the exception of the unlock is suppressed in that of the task.
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
	 * Returns this lock with a maximum hold. When it is over, the lock is lost with the
	 * reason {@link LockLostEvent.Reason#HOLD_ENDED HOLD_ENDED}, even if its holder is
	 * alive. The store then grants the lock to another holder, even if this process is
	 * paused.
	 * <p>
	 * The maximum hold counts from the request that acquired the lock, and ends 1 % of
	 * the lease earlier for the holder than in the store. Acquiring the lock again within
	 * a section does not extend it. Until then the lock is renewed, so the lock of a
	 * crashed holder is free after its lease. With a maximum hold up to the lease, the
	 * lock is never renewed. A deletion of its key is then only detected after
	 * {@link HeldLock#watch()}.
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
	 * Lock of one key, which binds its tenures to threads. A thread first acquires the
	 * local lock, so at most one thread of this process requests the lock from the store.
	 * The thread keeps the local lock until it has unlocked, even if the tenure is lost
	 * before.
	 */
	static final class KeyLock {

		private static final Logger logger = LoggerFactory.getLogger(FencedLock.class);

		/** Listeners of all tenures. While there are any, this lock is not collected. */
		private final List<Consumer<LockLostEvent>> lossListeners = new CopyOnWriteArrayList<>();

		/** Views of this lock, by lease. */
		private final Map<Duration, FencedLock> views = new ConcurrentHashMap<>();

		private final Key key;

		private final StateStoreLockRegistry registry;

		private final LocalLock<HeldLock> local;

		/**
		 * Section of the thread that holds the local lock, {@code null} before its
		 * tenure.
		 */
		private CurrentLocks.@Nullable Section section;

		/** Whether the holder of this lock is marked as a leader. */
		private volatile boolean leader;

		KeyLock(Key key, StateStoreLockRegistry registry) {
			this.key = key;
			this.registry = registry;
			this.local = new LocalLock<>(registry.time(), () -> registry.requireRunning(key));
		}

		/** Returns the view of this lock with a lease. */
		FencedLock view(Duration lease) {
			return this.views.computeIfAbsent(lease, (each) -> new FencedLock(this, each, null));
		}

		/**
		 * Waits for the lock.
		 * @param waitNanos maximum wait, zero or less for a single request
		 * @param interruptible whether an interrupt ends the wait; otherwise the thread
		 * is interrupted again afterward
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

		/** Requests the lock from the store. The thread holds the local lock. */
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

		/** Makes the current thread the owner of a tenure. */
		private void begin(HeldLock held) {
			Thread thread = Thread.currentThread();
			held.lease().renewWhile(thread::isAlive);
			this.local.begin(held);
			held.onLost((loss) -> {
				// First, because listeners may block.
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

		/** Handles a loss on a thread that may block. */
		private void reportLoss(LockLostEvent loss) {
			logger.warn("Lock {} was lost: {}", loss.key(), loss.description());
			this.lossListeners.forEach((listener) -> HeldLock.notify(listener, loss));
		}

		/**
		 * Returns the current tenure, or {@code null} if no thread holds the lock. A
		 * thread that has died holds it until the tenure is lost.
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

		/** Ends the waits of local threads if the registry is stopped. */
		void wakeWaiters() {
			this.local.wakeWaiters();
		}

	}

}
