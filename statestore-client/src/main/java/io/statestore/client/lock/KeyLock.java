package io.statestore.client.lock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.statestore.client.Key;
import io.statestore.client.lock.LockLostEvent.Reason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.integration.util.CheckedCallable;

/**
 * Lock of one key, which binds its tenures to threads. A thread first acquires the local
 * lock, so at most one thread of this process requests the lock from the store. The
 * thread keeps the local lock until it has unlocked, even if the tenure is lost before.
 */
final class KeyLock {

	private static final Logger logger = LoggerFactory.getLogger(KeyLock.class);

	/** Listeners of all tenures. While there are any, this lock is not collected. */
	private final List<Consumer<LockLostEvent>> lossListeners = new CopyOnWriteArrayList<>();

	/** Views of this lock, by lease. */
	private final Map<Duration, View> views = new ConcurrentHashMap<>();

	private final Key key;

	private final StateStoreLockRegistry registry;

	private final LocalLock<HeldLock> local;

	/**
	 * Section of the thread that holds the local lock, {@code null} before its tenure.
	 */
	private CurrentLocks.@Nullable Section section;

	/** Whether the holder of this lock is marked as a leader. */
	private volatile boolean leader;

	KeyLock(Key key, StateStoreLockRegistry registry) {
		this.key = key;
		this.registry = registry;
		this.local = new LocalLock<>(registry.time().source(), () -> registry.lifecycle().requireRunning(key));
	}

	Key key() {
		return this.key;
	}

	StateStoreLockRegistry registry() {
		return this.registry;
	}

	/** Returns the view of this lock with a lease. */
	View view(Duration lease) {
		return this.views.computeIfAbsent(lease, (each) -> new View(this, each, null));
	}

	void markLeader() {
		this.leader = true;
	}

	/** Waits for the lock like {@link #lock}. An interrupt does not end the wait. */
	boolean lockUninterruptibly(LockTerms terms, long waitNanos) {
		try {
			return lock(terms, waitNanos, false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("An interrupt ended a wait that ignores interrupts", ex);
		}
	}

	/**
	 * Waits for the lock.
	 * @param waitNanos longest wait, 0 for a single request
	 * @param interruptible whether an interrupt ends the wait
	 */
	boolean lock(LockTerms terms, long waitNanos, boolean interruptible) throws InterruptedException {
		if (interruptible && Thread.interrupted()) {
			throw new InterruptedException();
		}
		if (this.local.isHeldByCurrentThread()) {
			held().requireValid();
			this.local.reenter();
			return true;
		}
		this.registry.requireAcquirable(this.key);
		return this.registry.measured((start) -> this.local.tryLock(waitNanos, interruptible)
				? acquire(terms, waitNanos, start, interruptible) : null) != null;
	}

	/** Requests the lock from the store. The thread holds the local lock. */
	private @Nullable HeldLock acquire(LockTerms terms, long waitNanos, long start, boolean interruptible)
			throws InterruptedException {
		boolean unlimited = waitNanos == 0 || waitNanos == WaitLimit.FOREVER;
		HeldLock held = null;
		boolean begun = false;
		try {
			HeldLock abandoned = this.local.begin(null);
			if (abandoned != null) {
				abandoned.lease().lose(Reason.ABANDONED);
			}
			LockTime time = this.registry.time();
			// At least a nanosecond, because 0 is a limit of one request.
			WaitLimit limit = WaitLimit.of(time,
					unlimited ? waitNanos : Math.max(1, waitNanos - (time.nanoTime() - start)));
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
			held.requireValid();
			return;
		}
		boolean valid;
		try {
			valid = this.registry.time().awaitUninterruptibly(this.registry.lifecycle().release(held.lease()));
		}
		finally {
			leave();
		}
		if (!valid) {
			throw new LockLostException(held.lease().status().lossOrEnd());
		}
	}

	/**
	 * Waits for a tenure that belongs to no thread. It excludes other threads of this
	 * process like other processes.
	 * @return the tenure, {@code null} if another holder kept the lock
	 * @throws IllegalStateException if the current thread holds the lock or runs a
	 * section that does, or if the registry is stopped
	 */
	@Nullable HeldLock acquireUnowned(LockTerms terms, long waitNanos) throws InterruptedException {
		if (isHeldByCurrentThread()) {
			throw new IllegalStateException("Lock '" + this.key
					+ "' is already held by this thread, which cannot wait for itself. Release it first");
		}
		this.registry.requireAcquirable(this.key);
		HeldLock held = this.registry.measured((start) -> this.registry.acquire(this.key, terms,
				WaitLimit.of(this.registry.time(), waitNanos), this.leader, true));
		if (held != null) {
			held.onLost(this::reportLoss);
		}
		return held;
	}

	/** Handles a loss on a thread that may block. */
	private void reportLoss(LockLostEvent loss) {
		logger.warn("Lock {} was lost: {}", loss.key(), loss.description());
		this.lossListeners.forEach((listener) -> HeldLock.notify(listener, loss));
	}

	boolean isHeldByCurrentThread() {
		return this.local.isHeldByCurrentThread();
	}

	/**
	 * Returns the current tenure, or {@code null} if no thread holds the lock. A thread
	 * that has died holds it until the tenure is lost.
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

	/** View of the lock of a key with its terms. All views of a key share one lock. */
	static final class View implements FencedLock {

		private final KeyLock lock;

		/** Terms of the methods without a lease parameter. */
		private final LockTerms terms;

		/** Lease without regard to the maximum hold, which shortens that of the terms. */
		private final Duration lease;

		View(KeyLock lock, Duration lease, @Nullable Duration maxHold) {
			this.lock = lock;
			this.lease = lease;
			this.terms = new LockTerms(lease, true, maxHold);
		}

		@Override
		public Key key() {
			return this.lock.key();
		}

		@Override
		public void markLeader() {
			this.lock.markLeader();
		}

		@Override
		public void lock() {
			this.lock.lockUninterruptibly(this.terms, WaitLimit.FOREVER);
		}

		@Override
		public void lock(Duration ttl) {
			this.lock.lockUninterruptibly(terms(ttl), WaitLimit.FOREVER);
		}

		@Override
		public void lockInterruptibly() throws InterruptedException {
			this.lock.lock(this.terms, WaitLimit.FOREVER, true);
		}

		@Override
		public boolean tryLock() {
			return this.lock.lockUninterruptibly(this.terms, 0);
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			return this.lock.lock(this.terms, Math.max(0, unit.toNanos(time)), true);
		}

		@Override
		public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
			return this.lock.lock(terms(ttl), nanos(waitTime), true);
		}

		private LockTerms terms(Duration ttl) {
			return this.terms.withLease(LockOptions.requireLease("ttl", ttl));
		}

		private static long nanos(Duration waitTime) {
			return Math.max(0, TimeUnit.NANOSECONDS.convert(waitTime));
		}

		@Override
		public void unlock() {
			this.lock.unlock();
		}

		@Override
		public <T, E extends Exception> T execute(Callback<T, E> callback) throws E, InterruptedException {
			lockInterruptibly();
			return runAndUnlock(() -> callback.call(heldLock()));
		}

		@Override
		public <T, E extends Exception> T execute(Duration waitTime, Callback<T, E> callback)
				throws E, InterruptedException, TimeoutException {
			requireAcquired(this.lock.lock(this.terms, nanos(waitTime), true), waitTime);
			return runAndUnlock(() -> callback.call(heldLock()));
		}

		@Override
		public <T, E extends Exception> CompletableFuture<T> executeAsync(Duration waitTime,
				Callback<? extends CompletionStage<T>, E> callback) throws E, InterruptedException, TimeoutException {
			HeldLock held = this.lock.acquireUnowned(this.terms, nanos(waitTime));
			if (held == null) {
				throw notAcquired(waitTime);
			}
			try {
				CompletionStage<T> work = held.call(() -> callback.call(held));
				CompletableFuture<T> result = new CompletableFuture<>();
				// Not when the result is canceled, because that does not stop the work.
				// Continuations of the result may block, so they run on threads of their
				// own.
				work.whenComplete((value, failure) -> held.lease()
					.release()
					.whenCompleteAsync((valid, unused) -> complete(result, value, failure, valid ? null : held),
							this.lock.registry().replies()));
				return result;
			}
			catch (Throwable ex) {
				held.lease().release();
				throw ex;
			}
		}

		private static <T> void complete(CompletableFuture<T> result, T value, @Nullable Throwable failure,
				@Nullable HeldLock lost) {
			Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : null;
			Throwable thrown = (cause != null) ? cause : failure;
			if (lost != null) {
				LockLostException loss = new LockLostException(lost.lease().status().lossOrEnd());
				if (thrown != null) {
					thrown.addSuppressed(loss);
				}
				else {
					thrown = loss;
				}
			}
			if (thrown != null) {
				result.completeExceptionally(thrown);
			}
			else {
				result.complete(value);
			}
		}

		@Override
		public FencedLock withMaxHold(Duration maxHold) {
			return new View(this.lock, this.lease, LockOptions.requireMaxHold(maxHold));
		}

		/** Requires that this lock was acquired within a time. */
		void requireAcquired(boolean acquired, Duration waitTime) throws TimeoutException {
			if (!acquired) {
				throw notAcquired(waitTime);
			}
		}

		private TimeoutException notAcquired(Duration waitTime) {
			return new TimeoutException("Lock '" + key() + "' was not acquired within " + waitTime
					+ " because another holder has it. Wait longer, or try again later");
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

		@Override
		public boolean isValid() {
			HeldLock held = this.lock.heldOrNull();
			return held != null && held.isValid();
		}

		@Override
		public boolean isHeldByCurrentThread() {
			return this.lock.isHeldByCurrentThread();
		}

		@Override
		public HeldLock heldLock() {
			return this.lock.held();
		}

		@Override
		public Duration remaining() {
			HeldLock held = this.lock.heldOrNull();
			return (held != null) ? held.remaining() : Duration.ZERO;
		}

		@Override
		public void addLossListener(Consumer<LockLostEvent> listener) {
			this.lock.addLossListener(listener);
		}

		@Override
		public void removeLossListener(Consumer<LockLostEvent> listener) {
			this.lock.removeLossListener(listener);
		}

		@Override
		public Optional<String> holder() {
			return this.lock.registry().holder(key());
		}

		@Override
		public String toString() {
			HeldLock held = this.lock.heldOrNull();
			return "FencedLock[" + key() + ((held != null) ? ", held, " + held + "]" : "]");
		}

	}

}
