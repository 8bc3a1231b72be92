package io.statestore.client.lock;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Lock between the threads of this process. In contrast to a {@link ReentrantLock}, it is
 * free again when its owner has died, and a check can end its waits.
 */
final class LocalLock {

	/** Waits without limit. */
	static final long FOREVER = Long.MAX_VALUE;

	/** Interval in which waiters check that the owner is alive. */
	private static final long CHECK_INTERVAL = TimeUnit.SECONDS.toNanos(1);

	private final ReentrantLock guard = new ReentrantLock();

	private final Condition changed = this.guard.newCondition();

	private final Runnable waitCheck;

	private volatile @Nullable Thread owner;

	/** Used by the owner alone. */
	private int holds;

	/**
	 * Creates a free lock.
	 * @param waitCheck called before each wait, and after {@link #wakeWaiters()}; throws
	 * to end the wait
	 */
	LocalLock(Runnable waitCheck) {
		this.waitCheck = waitCheck;
	}

	boolean isHeldByCurrentThread() {
		return this.owner == Thread.currentThread();
	}

	/** Returns how often the owner has acquired the lock. Called by the owner. */
	int holds() {
		return this.holds;
	}

	/** Acquires the lock again. Called by the owner. */
	void reenter() {
		this.holds++;
	}

	void lock() {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					tryLock(FOREVER);
					return;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/** Acquires the lock unless another thread that is alive has it. */
	boolean tryLock() {
		this.guard.lock();
		try {
			Thread owner = this.owner;
			if (owner != null && owner.isAlive()) {
				return false;
			}
			this.owner = Thread.currentThread();
			this.holds = 1;
			return true;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Waits for the lock.
	 * @param nanos time to wait
	 * @return whether the lock was acquired
	 */
	boolean tryLock(long nanos) throws InterruptedException {
		long left = nanos;
		this.guard.lock();
		try {
			while (!tryLock()) {
				if (left <= 0) {
					return false;
				}
				this.waitCheck.run();
				long wait = Math.min(left, CHECK_INTERVAL);
				long waited = wait - this.changed.awaitNanos(wait);
				left = (nanos == FOREVER) ? FOREVER : left - waited;
			}
			return true;
		}
		finally {
			this.guard.unlock();
		}
	}

	/** Releases the lock once. Called by the owner. */
	void unlock() {
		this.holds--;
		if (this.holds == 0) {
			this.guard.lock();
			try {
				this.owner = null;
				this.changed.signal();
			}
			finally {
				this.guard.unlock();
			}
		}
	}

	/** Makes the waiters check whether to go on. */
	void wakeWaiters() {
		this.guard.lock();
		try {
			this.changed.signalAll();
		}
		finally {
			this.guard.unlock();
		}
	}

}
