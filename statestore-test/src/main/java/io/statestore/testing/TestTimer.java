package io.statestore.testing;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/** Timer whose delays follow a {@link TestTime}, on the threads of another timer. */
final class TestTimer extends AbstractExecutorService implements ScheduledExecutorService {

	private final DueTasks tasks;

	private final ScheduledExecutorService threads;

	private final Executor tracked;

	/**
	 * Creates a timer.
	 * @param tasks receives the deadlines
	 * @param threads timer that follows the system clock
	 * @param tracked counts tasks as work and runs them on {@code threads}
	 */
	TestTimer(DueTasks tasks, ScheduledExecutorService threads, Executor tracked) {
		this.tasks = tasks;
		this.threads = threads;
		this.tracked = tracked;
	}

	@Override
	public void execute(Runnable task) {
		this.tracked.execute(task);
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
		return new Scheduled<>(Executors.callable(task), 0).in(unit.toNanos(delay));
	}

	@Override
	public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
		return new Scheduled<>(task, 0).in(unit.toNanos(delay));
	}

	/**
	 * Schedules a task with a fixed delay, which has the same effect because no test time
	 * passes while the task runs.
	 */
	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long initialDelay, long period, TimeUnit unit) {
		return scheduleWithFixedDelay(task, initialDelay, period, unit);
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initialDelay, long delay, TimeUnit unit) {
		return new Scheduled<>(Executors.callable(task), unit.toNanos(delay)).in(unit.toNanos(initialDelay));
	}

	@Override
	public void shutdown() {
		this.threads.shutdown();
	}

	@Override
	public List<Runnable> shutdownNow() {
		return this.threads.shutdownNow();
	}

	@Override
	public boolean isShutdown() {
		return this.threads.isShutdown();
	}

	@Override
	public boolean isTerminated() {
		return this.threads.isTerminated();
	}

	@Override
	public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
		return this.threads.awaitTermination(timeout, unit);
	}

	/** A task that is waiting for its deadline or running. */
	private final class Scheduled<V extends @Nullable Object> extends FutureTask<V> implements ScheduledFuture<V> {

		/** Delay after each run, in nanoseconds; 0 for a single run. */
		private final long period;

		private volatile DueTasks.@Nullable Task waiting;

		private Scheduled(Callable<V> task, long period) {
			super(task);
			this.period = period;
		}

		private Scheduled<V> in(long delay) {
			if (delay <= 0) {
				begin();
			}
			else {
				this.waiting = TestTimer.this.tasks.add(delay, this::begin);
			}
			return this;
		}

		private void begin() {
			this.waiting = null;
			try {
				TestTimer.this.tracked.execute((this.period > 0) ? this::repeat : this);
			}
			catch (RejectedExecutionException ex) {
				// The owner of the threads has shut them down.
				cancel(false);
			}
		}

		private void repeat() {
			if (runAndReset()) {
				in(this.period);
			}
		}

		@Override
		protected void done() {
			DueTasks.Task task = this.waiting;
			if (task != null) {
				TestTimer.this.tasks.remove(task);
			}
		}

		@Override
		public long getDelay(TimeUnit unit) {
			DueTasks.Task task = this.waiting;
			return (task != null) ? unit.convert(task.dueAt() - TestTimer.this.tasks.nanos(), TimeUnit.NANOSECONDS) : 0;
		}

		@Override
		public int compareTo(Delayed other) {
			return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
		}

	}

}
