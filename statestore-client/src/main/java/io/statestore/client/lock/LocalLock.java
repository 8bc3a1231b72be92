package io.statestore.client.lock;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Lock between the threads of this process. In contrast to a {@link ReentrantLock}, it
 * becomes free when its owner dies, and a check can end its waits.
 */
final class LocalLock {

	/** Stands for a wait without limit. */
	static final long FOREVER = Long.MAX_VALUE;

	/** Interval in which waiters check that the owner is alive, in nanoseconds. */
	private static final long CHECK_INTERVAL = TimeUnit.SECONDS.toNanos(1);

	private final ReentrantLock guard = new ReentrantLock();

	private final Condition changed = this.guard.newCondition();

	private final TimeSource time;

	private final Runnable waitCheck;

	private volatile @Nullable Thread owner;

	/** Number of unreleased acquisitions. Only the owner uses it. */
	private int holds;

	/**
	 * Creates a free lock.
	 * @param time time by which threads wait
	 * @param waitCheck called before each wait, and after {@link #wakeWaiters()}; throws
	 * to end the wait
	 */
	LocalLock(TimeSource time, Runnable waitCheck) {
		this.time = time;
		this.waitCheck = waitCheck;
	}

	boolean isHeldByCurrentThread() {
		return this.owner == Thread.currentThread();
	}

	/** Returns the number of unreleased acquisitions. Called by the owner. */
	int holds() {
		return this.holds;
	}

	/** Acquires the lock again. Called by the owner. */
	void reenter() {
		this.holds++;
	}

	/** Waits for the lock. An interrupt does not end the wait. */
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

	/** Acquires the lock unless another thread that is alive holds it. */
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
	 * @param nanos longest wait, {@link #FOREVER} for no limit
	 * @return whether the lock was acquired
	 * @throws InterruptedException if interrupted while waiting
	 */
	boolean tryLock(long nanos) throws InterruptedException {
		long remaining = nanos;
		this.guard.lock();
		try {
			while (!tryLock()) {
				if (remaining <= 0) {
					return false;
				}
				this.waitCheck.run();
				long wait = Math.min(remaining, CHECK_INTERVAL);
				long waited = wait - this.time.awaitNanos(this.guard, this.changed, wait);
				remaining = (nanos == FOREVER) ? FOREVER : remaining - waited;
			}
			return true;
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
				this.time.signal(this.changed);
			}
			finally {
				this.guard.unlock();
			}
		}
	}

	/** Makes all waiters run the check that may end their waits. */
	void wakeWaiters() {
		this.guard.lock();
		try {
			this.time.signalAll(this.changed);
		}
		finally {
			this.guard.unlock();
		}
	}

}
