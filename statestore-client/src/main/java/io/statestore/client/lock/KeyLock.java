package io.statestore.client.lock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.statestore.client.Key;
import io.statestore.client.lock.LockLostEvent.Reason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
	private final Map<Duration, FencedLock> views = new ConcurrentHashMap<>();

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
		this.local = new LocalLock<>(registry.time(), () -> registry.requireRunning(key));
	}

	Key key() {
		return this.key;
	}

	StateStoreLockRegistry registry() {
		return this.registry;
	}

	/** Returns the view of this lock with a lease. */
	FencedLock view(Duration lease) {
		return this.views.computeIfAbsent(lease, (each) -> new FencedLock(this, each, null));
	}

	void markLeader() {
		this.leader = true;
	}

	/**
	 * Waits for the lock like {@link #lockInterruptibly}. An interrupt does not end the
	 * wait.
	 */
	boolean lock(LockTerms terms, long waitNanos) {
		return LockTime.uninterruptibly(() -> lock(terms, waitNanos, false));
	}

	/**
	 * Waits for the lock.
	 * @param waitNanos longest wait, zero or less for a single request
	 */
	boolean lockInterruptibly(LockTerms terms, long waitNanos) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		return lock(terms, waitNanos, true);
	}

	private boolean lock(LockTerms terms, long waitNanos, boolean interruptible) throws InterruptedException {
		if (this.local.isHeldByCurrentThread()) {
			held().requireValid();
			this.local.reenter();
			return true;
		}
		this.registry.requireAcquirable(this.key);
		WaitLimit limit = WaitLimit.of(this.registry.time(), waitNanos);
		return this.registry.measured(
				() -> this.local.tryLock(limit, interruptible) ? acquire(terms, limit, interruptible) : null) != null;
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
			held.requireValid();
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
		WaitLimit limit = WaitLimit.of(this.registry.time(), waitNanos);
		HeldLock held = this.registry.measured(() -> this.registry.acquire(this.key, terms, limit, this.leader, true));
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

}
