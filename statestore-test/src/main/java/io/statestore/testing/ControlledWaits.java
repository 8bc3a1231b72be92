package io.statestore.testing;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets threads wait for futures and conditions, with deadlines that follow a
 * {@link TestTime}. Thread-safe.
 */
final class ControlledWaits {

	private static final Logger logger = LoggerFactory.getLogger(ControlledWaits.class);

	private final WorkTracker work;

	private final DueTasks tasks;

	private final Duration limit;

	/** Waits by condition. The condition's lock guards each set. */
	private final Map<Condition, Set<Wait>> waits = new ConcurrentHashMap<>();

	/**
	 * Creates an object without waits.
	 * @param work counts tasks that are not waiting
	 * @param tasks receives the deadlines
	 * @param limit how long, by the system clock, a test thread may wait while the test
	 * time stands still, before a warning is logged
	 */
	ControlledWaits(WorkTracker work, DueTasks tasks, Duration limit) {
		this.work = work;
		this.tasks = tasks;
		this.limit = limit;
	}

	/**
	 * Waits for a future or the timeout.
	 * @param timeout maximum wait in test time, or {@code null} for no limit
	 */
	void await(CompletableFuture<?> future, @Nullable Duration timeout) throws InterruptedException {
		Wait wait = new Wait(this.work.current());
		future.whenComplete((result, failure) -> wait.end());
		DueTasks.Task deadline = (timeout != null) ? this.tasks.add(timeout.toNanos(), wait::end) : null;
		wait.suspendTask();
		try {
			long before = this.tasks.nanos();
			while (!wait.ended.await(this.limit.toNanos(), TimeUnit.NANOSECONDS)) {
				wait.warnIfTimeStandsStill(before);
				before = this.tasks.nanos();
			}
		}
		finally {
			wait.end();
			if (deadline != null) {
				this.tasks.remove(deadline);
			}
		}
	}

	/** Waits for a condition, like {@link TestTime#awaitNanos}. */
	long await(Lock lock, Condition condition, long nanos) throws InterruptedException {
		long before = this.tasks.nanos();
		Wait wait = new Wait(this.work.current());
		this.waits.computeIfAbsent(condition, (key) -> new HashSet<>()).add(wait);
		DueTasks.Task deadline = this.tasks.add(nanos, () -> {
			lock.lock();
			try {
				signalAll(condition);
			}
			finally {
				lock.unlock();
			}
		});
		wait.suspendTask();
		try {
			// Callers check their condition again, so this wait may end early.
			if (!condition.await(this.limit.toNanos(), TimeUnit.NANOSECONDS)) {
				wait.warnIfTimeStandsStill(before);
			}
		}
		finally {
			wait.end();
			this.waits.computeIfPresent(condition, (key, waits) -> {
				waits.remove(wait);
				return waits.isEmpty() ? null : waits;
			});
			this.tasks.remove(deadline);
		}
		return nanos - (this.tasks.nanos() - before);
	}

	/** Wakes all threads. Their tasks count as work even before the threads continue. */
	void signalAll(Condition condition) {
		this.waits.getOrDefault(condition, Set.of()).forEach(Wait::end);
		condition.signalAll();
	}

	/**
	 * A thread's wait. When it ends, the thread's task counts as work again, even before
	 * the thread continues.
	 */
	private final class Wait {

		private final CountDownLatch ended = new CountDownLatch(1);

		/** The waiting task; {@code null} for a test thread. */
		private final @Nullable TrackedTask task;

		Wait(@Nullable TrackedTask task) {
			this.task = task;
		}

		/** Stops counting the task as work unless the wait has already ended. */
		synchronized void suspendTask() {
			if (this.task != null && this.ended.getCount() > 0) {
				this.task.suspend();
			}
		}

		synchronized void end() {
			if (this.task != null && this.ended.getCount() > 0) {
				this.task.resume();
			}
			this.ended.countDown();
		}

		/**
		 * Warns if a test thread is waiting and the test time has not advanced since an
		 * earlier reading.
		 */
		void warnIfTimeStandsStill(long since) {
			if (this.task == null && ControlledWaits.this.tasks.nanos() == since) {
				logger.warn(
						"Thread '{}' waits, but no thread has advanced the time for {} s. Advance it on another thread",
						Thread.currentThread().getName(), ControlledWaits.this.limit.toSeconds());
			}
		}

	}

}
