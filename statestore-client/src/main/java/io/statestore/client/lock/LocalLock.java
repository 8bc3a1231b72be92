package io.statestore.client.lock;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Lock between threads of this process that also holds its owner's tenure. Unlike a
 * {@link ReentrantLock}, it becomes free when its owner dies, and a check can end waits
 * for it.
 *
 * @param <T> the type of tenures
 */
final class LocalLock<T> {

	/** Interval at which waiters check whether the owner is alive, in nanoseconds. */
	private static final long CHECK_INTERVAL = TimeUnit.SECONDS.toNanos(1);

	private final ReentrantLock guard = new ReentrantLock();

	private final Condition changed = this.guard.newCondition();

	private final LockTime time;

	private final Runnable waitCheck;

	private volatile @Nullable Thread owner;

	/** Number of unreleased acquisitions. Accessed only by the owner. */
	private int holds;

	/** Tenure of the owner, {@code null} before it begins. */
	private volatile @Nullable T held;

	/**
	 * Creates a free lock.
	 * @param time time source that waits use
	 * @param waitCheck called before each wait, and after {@link #wakeWaiters()}; throws
	 * to end the wait
	 */
	LocalLock(LockTime time, Runnable waitCheck) {
		this.time = time;
		this.waitCheck = waitCheck;
	}

	boolean isHeldByCurrentThread() {
		return this.owner == Thread.currentThread();
	}

	int holds() {
		return this.holds;
	}

	/** Acquires the lock again. Called by the owner. */
	void reenter() {
		this.holds++;
	}

	/**
	 * Waits for the lock, or acquires it again if the calling thread is the owner. An
	 * interrupt does not end the wait.
	 */
	void lock() {
		if (isHeldByCurrentThread()) {
			reenter();
			return;
		}
		LockTime.uninterruptibly(() -> tryLock(WaitLimit.of(this.time, WaitLimit.FOREVER), false));
	}

	/**
	 * Waits for the lock.
	 * @param interruptible whether an interrupt ends the wait; otherwise, the thread's
	 * interrupt flag is set again afterward
	 * @return whether the lock was acquired
	 */
	boolean tryLock(WaitLimit limit, boolean interruptible) throws InterruptedException {
		boolean interrupted = false;
		this.guard.lock();
		try {
			for (Thread owner = this.owner; owner != null && owner.isAlive(); owner = this.owner) {
				if (limit.isOver()) {
					return false;
				}
				this.waitCheck.run();
				try {
					this.time.source()
						.awaitNanos(this.guard, this.changed, Math.min(limit.remaining(), CHECK_INTERVAL));
				}
				catch (InterruptedException ex) {
					if (interruptible) {
						throw ex;
					}
					interrupted = true;
				}
			}
			this.owner = Thread.currentThread();
			this.holds = 1;
			return true;
		}
		finally {
			this.guard.unlock();
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Begins the owner's tenure. Called by the owner.
	 * @param held the tenure, {@code null} if it was not acquired yet
	 * @return the tenure of an earlier owner that died, {@code null} for none
	 */
	@Nullable T begin(@Nullable T held) {
		this.guard.lock();
		try {
			T abandoned = this.held;
			this.held = held;
			return abandoned;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Returns the owner's tenure, {@code null} if there is none. The owner may have died.
	 */
	@Nullable T held() {
		return this.held;
	}

	boolean hasLivingOwner() {
		Thread owner = this.owner;
		return owner != null && owner.isAlive();
	}

	/** Interrupts the owner, unless it has already left the given tenure. */
	void interrupt(T lost) {
		this.guard.lock();
		try {
			if (this.owner != null && this.held == lost) {
				this.owner.interrupt();
			}
		}
		finally {
			this.guard.unlock();
		}
	}

	/** Releases one acquisition of the lock. Called by the owner. */
	void unlock() {
		this.holds--;
		if (this.holds == 0) {
			this.guard.lock();
			try {
				this.owner = null;
				this.held = null;
				this.time.source().signal(this.changed);
			}
			finally {
				this.guard.unlock();
			}
		}
	}

	/** Wakes all waiters, so that they run the check that may end their waits. */
	void wakeWaiters() {
		this.guard.lock();
		try {
			this.time.source().signalAll(this.changed);
		}
		finally {
			this.guard.unlock();
		}
	}

}
