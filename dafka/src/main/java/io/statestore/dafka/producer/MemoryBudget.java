package io.statestore.dafka.producer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits the bytes a producer may buffer. Senders wait for space, up to a timeout.
 * Thread-safe.
 */
final class MemoryBudget {

	private final long limit;

	private final AtomicLong used = new AtomicLong();

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition released = this.lock.newCondition();

	private volatile int waiting;

	private volatile boolean closed;

	MemoryBudget(long limit) {
		this.limit = limit;
	}

	long used() {
		return this.used.get();
	}

	boolean isHalfUsed() {
		return this.used.get() > this.limit / 2;
	}

	/**
	 * Waits for space. A record larger than the budget waits until the budget is unused.
	 * @return whether space became available in time
	 */
	boolean take(long bytes, long timeoutNanos) throws InterruptedException {
		if (tryTake(bytes)) {
			return true;
		}
		this.lock.lockInterruptibly();
		try {
			this.waiting++;
			long left = timeoutNanos;
			while (!tryTake(bytes)) {
				if (left <= 0 || this.closed) {
					return false;
				}
				left = this.released.awaitNanos(left);
			}
			return true;
		}
		finally {
			this.waiting--;
			this.lock.unlock();
		}
	}

	/** Releases space and wakes waiting senders. */
	void release(long bytes) {
		this.used.addAndGet(-bytes);
		if (this.waiting > 0) {
			signal();
		}
	}

	/** Wakes all waiting senders. From now on, {@link #take} does not wait. */
	void close() {
		this.closed = true;
		signal();
	}

	private boolean tryTake(long bytes) {
		long before = this.used.get();
		while (before == 0 || before + bytes <= this.limit) {
			if (this.used.compareAndSet(before, before + bytes)) {
				return true;
			}
			before = this.used.get();
		}
		return false;
	}

	private void signal() {
		this.lock.lock();
		try {
			this.released.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

}
