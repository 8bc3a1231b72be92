package io.statestore.testing;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits of threads for futures and conditions, with deadlines of a {@link TestTime}.
 * Thread-safe.
 */
final class ControlledWaits {

	private static final Logger logger = LoggerFactory.getLogger(ControlledWaits.class);

	private final WorkTracker work;

	private final DueTasks tasks;

	private final LongSupplier nanos;

	private final Duration limit;

	/** Waits for conditions. The lock of the condition guards the set. */
	private final Map<Condition, Set<TrackedWait>> waits = new ConcurrentHashMap<>();

	/**
	 * Creates an object without waits.
	 * @param work counts tasks that do not wait
	 * @param tasks the deadlines
	 * @param nanos the controlled time
	 * @param limit interval, in time of the system, in which threads of the test that
	 * wait in vain are reported
	 */
	ControlledWaits(WorkTracker work, DueTasks tasks, LongSupplier nanos, Duration limit) {
		this.work = work;
		this.tasks = tasks;
		this.nanos = nanos;
		this.limit = limit;
	}

	/**
	 * Waits for a future.
	 * @param timeout longest wait, or {@code null} for no limit
	 */
	void await(CompletableFuture<?> future, @Nullable Duration timeout) throws InterruptedException {
		TrackedTask task = this.work.current();
		TrackedWait wait = new TrackedWait(task);
		future.whenComplete((result, failure) -> wait.end());
		DueTask deadline = (timeout != null) ? schedule(timeout.toNanos(), wait::end) : null;
		wait.suspendTask();
		try {
			long before = this.nanos.getAsLong();
			while (!wait.await(this.limit)) {
				warnIfTimeStandsStill(task, before);
				before = this.nanos.getAsLong();
			}
		}
		finally {
			wait.end();
			if (deadline != null) {
				this.tasks.remove(deadline);
			}
		}
	}

	/**
	 * Warns that a thread of the test waits in vain.
	 * @param task the task that waits, {@code null} for a thread of the test
	 * @param before the time one interval ago
	 */
	private void warnIfTimeStandsStill(@Nullable TrackedTask task, long before) {
		if (task == null && this.nanos.getAsLong() == before) {
			logger.warn("Thread '{}' waits, but no thread has advanced the time for {} s. Advance it on another thread",
					Thread.currentThread().getName(), this.limit.toSeconds());
		}
	}

	/** Waits for a condition, like {@link TestTime#awaitNanos}. */
	long await(Lock lock, Condition condition, long nanos) throws InterruptedException {
		long before = this.nanos.getAsLong();
		TrackedTask task = this.work.current();
		TrackedWait wait = new TrackedWait(task);
		this.waits.computeIfAbsent(condition, (key) -> new HashSet<>()).add(wait);
		DueTask deadline = schedule(nanos, () -> {
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
			// Callers check the condition again, so this wait may end early.
			if (!condition.await(this.limit.toNanos(), TimeUnit.NANOSECONDS)) {
				warnIfTimeStandsStill(task, before);
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
		return nanos - (this.nanos.getAsLong() - before);
	}

	/** Wakes all threads, whose tasks count as work before they continue. */
	void signalAll(Condition condition) {
		this.waits.getOrDefault(condition, Set.of()).forEach(TrackedWait::end);
		condition.signalAll();
	}

	private DueTask schedule(long delay, Runnable task) {
		return this.tasks.add(this.nanos.getAsLong() + delay, task);
	}

}
