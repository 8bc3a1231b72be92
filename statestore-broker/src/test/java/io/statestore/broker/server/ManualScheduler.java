package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/** A scheduler without threads, whose delayed tasks run on demand. */
final class ManualScheduler extends AbstractExecutorService implements ScheduledExecutorService {

	private final LongSupplier nanoClock;

	private final List<Task> tasks = new ArrayList<>();

	private long added;

	ManualScheduler(LongSupplier nanoClock) {
		this.nanoClock = nanoClock;
	}

	/** Runs the tasks that are due, including tasks that they schedule. */
	void runDue() {
		for (Task task = nextDue(); task != null; task = nextDue()) {
			this.tasks.remove(task);
			task.run.run();
		}
	}

	private @Nullable Task nextDue() {
		this.tasks.removeIf(CompletableFuture::isCancelled);
		return this.tasks.stream()
			.filter((task) -> task.time <= this.nanoClock.getAsLong())
			.min(Comparator.comparingLong((Task task) -> task.time).thenComparingLong((task) -> task.order))
			.orElse(null);
	}

	@Override
	public void execute(Runnable task) {
		task.run();
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
		Task scheduled = new Task(task, this.nanoClock.getAsLong() + unit.toNanos(delay), this.added++);
		this.tasks.add(scheduled);
		return scheduled;
	}

	@Override
	public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long initialDelay, long period, TimeUnit unit) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initialDelay, long delay, TimeUnit unit) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void shutdown() {
		this.tasks.clear();
	}

	@Override
	public List<Runnable> shutdownNow() {
		this.tasks.clear();
		return List.of();
	}

	@Override
	public boolean isShutdown() {
		return false;
	}

	@Override
	public boolean isTerminated() {
		return false;
	}

	@Override
	public boolean awaitTermination(long timeout, TimeUnit unit) {
		return true;
	}

	/** A task that runs at a time. */
	private static final class Task extends CompletableFuture<Object> implements ScheduledFuture<Object> {

		private final Runnable run;

		private final long time;

		private final long order;

		Task(Runnable run, long time, long order) {
			this.run = run;
			this.time = time;
			this.order = order;
		}

		@Override
		public long getDelay(TimeUnit unit) {
			throw new UnsupportedOperationException();
		}

		@Override
		public int compareTo(Delayed other) {
			throw new UnsupportedOperationException();
		}

	}

}
