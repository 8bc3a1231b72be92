package io.statestore.client.lock;

import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Thread that owns a lock, with its tenure. An interrupt because of a loss never reaches
 * a thread that has just unlocked. Safe for use by several threads.
 */
final class LockOwner {

	private final ReentrantLock guard = new ReentrantLock();

	private volatile @Nullable Tenure tenure;

	private @Nullable Thread thread;

	/** Returns the current tenure, or {@code null} if no thread holds the lock. */
	@Nullable Tenure tenure() {
		return this.tenure;
	}

	/** Makes the current thread the owner. */
	void begin(Tenure tenure) {
		change(tenure, Thread.currentThread());
	}

	/** Ends the ownership. */
	void end() {
		change(null, null);
	}

	private void change(@Nullable Tenure tenure, @Nullable Thread thread) {
		this.guard.lock();
		try {
			this.tenure = tenure;
			this.thread = thread;
		}
		finally {
			this.guard.unlock();
		}
	}

	/** Interrupts the owner unless the tenure has ended. */
	void interrupt(Tenure tenure) {
		this.guard.lock();
		try {
			if (this.thread != null && this.tenure == tenure) {
				this.thread.interrupt();
			}
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Ends the ownership if the owner has died without unlocking.
	 * @param onEnd called in that case, before the lock can get another owner
	 * @return whether the owner is alive and still holds the lock with this tenure
	 */
	boolean endIfDead(Tenure tenure, Runnable onEnd) {
		this.guard.lock();
		try {
			if (this.tenure != tenure || this.thread == null) {
				return false;
			}
			if (this.thread.isAlive()) {
				return true;
			}
			this.tenure = null;
			this.thread = null;
			onEnd.run();
			return false;
		}
		finally {
			this.guard.unlock();
		}
	}

}
