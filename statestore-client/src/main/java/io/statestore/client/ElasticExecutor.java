package io.statestore.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executor for tasks that may block. It starts a thread only if none is idle, up to a
 * limit, and ends threads that stay idle. Beyond the limit, tasks wait in order. While
 * tasks wait because the running tasks block, the limit grows every second, up to a
 * maximum. If a thread cannot be created, the attempt is repeated. Thread-safe.
 * <p>
 * A {@link java.util.concurrent.ThreadPoolExecutor} would either queue a task instead of
 * starting another thread, or refuse it.
 */
final class ElasticExecutor implements Executor {

	private static final Duration IDLE = Duration.ofSeconds(10);

	private static final Duration GROWTH_INTERVAL = Duration.ofSeconds(1);

	private static final Duration RETRY_DELAY = Duration.ofMillis(100);

	private static final Logger logger = LoggerFactory.getLogger(ElasticExecutor.class);

	private final Queue<Runnable> waiting = new ArrayDeque<>();

	private final ThreadFactory factory;

	private final ScheduledExecutorService timer;

	private final int size;

	private final int maxSize;

	private int limit;

	private int threads;

	/** Number of threads that are about to take a task or are waiting for one. */
	private int idle;

	private long idleNanos = IDLE.toNanos();

	private long completed;

	private boolean growthScheduled;

	/**
	 * Creates an executor without threads.
	 * @param size initial limit on the number of threads, and the step by which the limit
	 * grows
	 * @param maxSize maximum value of the limit
	 */
	ElasticExecutor(ThreadFactory factory, int size, int maxSize, ScheduledExecutorService timer) {
		this.factory = factory;
		this.size = size;
		this.maxSize = maxSize;
		this.timer = timer;
		this.limit = size;
	}

	/** Runs a task on another thread as soon as one is free. Never blocks. */
	@Override
	public synchronized void execute(Runnable task) {
		this.waiting.add(task);
		notify();
		startThreads();
		if (this.waiting.size() > this.idle) {
			scheduleGrowth();
		}
	}

	/** Sets how long idle threads are kept, including those that are idle now. */
	synchronized void setIdleTime(Duration idleTime) {
		this.idleNanos = idleTime.toNanos();
		notifyAll();
	}

	private synchronized void startThreads() {
		while (this.waiting.size() > this.idle && this.threads < this.limit) {
			try {
				this.factory.newThread(this::runTasks).start();
			}
			catch (OutOfMemoryError ex) {
				logger.warn("No thread for a callback; retrying: {}", ex.getMessage());
				schedule(RETRY_DELAY, this::startThreads);
				return;
			}
			this.threads++;
			this.idle++;
		}
	}

	private void runTasks() {
		while (runTask()) {
			// An interrupt left by this task must not affect the next task.
			Thread.interrupted();
			complete();
		}
	}

	/**
	 * Runs the next task. A separate method, so that a waiting thread does not keep its
	 * previous task reachable.
	 */
	private boolean runTask() {
		Runnable task = take();
		if (task == null) {
			return false;
		}
		try {
			task.run();
		}
		catch (Throwable ex) {
			Thread thread = Thread.currentThread();
			thread.getUncaughtExceptionHandler().uncaughtException(thread, ex);
		}
		return true;
	}

	/**
	 * Returns the next task, or {@code null} if none arrived within the idle time; the
	 * thread then ends.
	 */
	private synchronized @Nullable Runnable take() {
		long since = System.nanoTime();
		while (this.waiting.isEmpty()) {
			long left = this.idleNanos - (System.nanoTime() - since);
			if (left <= 0) {
				this.idle--;
				this.threads--;
				return null;
			}
			try {
				TimeUnit.NANOSECONDS.timedWait(this, left);
			}
			catch (InterruptedException ex) {
				// The interrupt was meant for a task that has already ended.
			}
		}
		this.idle--;
		return this.waiting.remove();
	}

	private synchronized void complete() {
		this.completed++;
		this.idle++;
	}

	private void scheduleGrowth() {
		if (this.size < this.maxSize && !this.growthScheduled) {
			long completedBefore = this.completed;
			schedule(GROWTH_INTERVAL, () -> growIfBlocked(completedBefore));
			this.growthScheduled = true;
		}
	}

	private synchronized void growIfBlocked(long completedBefore) {
		this.growthScheduled = false;
		if (this.waiting.size() <= this.idle) {
			this.limit = this.size;
			return;
		}
		if (this.completed - completedBefore < this.threads) {
			this.limit = Math.min(Math.max(this.limit, this.threads) + this.size, this.maxSize);
			startThreads();
		}
		scheduleGrowth();
	}

	private void schedule(Duration delay, Runnable task) {
		this.timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
	}

}
