package io.statestore.client;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executor for tasks that may block. It starts a thread only if none is idle, up to a
 * limit, and ends threads that stay idle. Further tasks wait in order. While tasks wait
 * because the running ones block, the limit grows every second, up to a maximum. A task
 * for which no thread can be created is retried. Safe for use by several threads.
 */
final class ElasticExecutor implements Executor {

	private static final Duration IDLE = Duration.ofSeconds(10);

	private static final Duration GROWTH_INTERVAL = Duration.ofSeconds(1);

	private static final Duration RETRY_DELAY = Duration.ofMillis(100);

	private static final Logger logger = LoggerFactory.getLogger(ElasticExecutor.class);

	private final AtomicBoolean growthScheduled = new AtomicBoolean();

	private final WaitingTasks waiting = new WaitingTasks();

	private final ThreadPoolExecutor pool;

	private final ScheduledExecutorService timer;

	private final int size;

	private final int maxSize;

	/**
	 * Creates an executor without threads.
	 * @param size initial limit of the number of threads, and the step by which it grows
	 * @param maxSize maximum of the limit
	 */
	ElasticExecutor(ThreadFactory threads, int size, int maxSize, ScheduledExecutorService timer) {
		this.size = size;
		this.maxSize = maxSize;
		this.timer = timer;
		this.pool = new ThreadPoolExecutor(0, size, IDLE.toNanos(), TimeUnit.NANOSECONDS, this.waiting, threads,
				(task, pool) -> this.waiting.add(task));
	}

	/** Runs a task on another thread as soon as one is free. Never blocks. */
	@Override
	public void execute(Runnable task) {
		try {
			this.pool.execute(task);
		}
		catch (OutOfMemoryError ex) {
			logger.warn("No thread for a callback; retrying: {}", ex.getMessage());
			schedule(RETRY_DELAY, () -> execute(task));
			return;
		}
		if (!this.waiting.isEmpty()) {
			scheduleGrowth();
		}
	}

	/** Sets how long idle threads are kept. */
	void setIdleTime(Duration idleTime) {
		this.pool.setKeepAliveTime(idleTime.toNanos(), TimeUnit.NANOSECONDS);
	}

	private void scheduleGrowth() {
		if (this.size < this.maxSize && this.growthScheduled.compareAndSet(false, true)) {
			long completed = this.pool.getCompletedTaskCount();
			schedule(GROWTH_INTERVAL, () -> growIfBlocked(completed));
		}
	}

	private void growIfBlocked(long completedBefore) {
		this.growthScheduled.set(false);
		if (this.waiting.isEmpty()) {
			this.pool.setMaximumPoolSize(this.size);
			return;
		}
		int limit = this.pool.getMaximumPoolSize();
		boolean blocked = this.pool.getCompletedTaskCount() - completedBefore < limit;
		if (blocked && limit < this.maxSize) {
			growTo(Math.min(limit + this.size, this.maxSize));
		}
		scheduleGrowth();
	}

	private void growTo(int limit) {
		try {
			this.pool.setMaximumPoolSize(limit);
			// Starts threads for the tasks that wait. Later tasks prefer idle threads.
			this.pool.setCorePoolSize(limit);
		}
		catch (OutOfMemoryError ex) {
			logger.warn("No more threads for callbacks: {}", ex.getMessage());
		}
		finally {
			this.pool.setCorePoolSize(0);
		}
	}

	private void schedule(Duration delay, Runnable task) {
		this.timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
	}

	/**
	 * Queue that accepts a task from the pool only if a thread waits for it. The pool
	 * then starts a thread, and adds the task to the queue if it must not start another.
	 * <p>
	 * Not a {@link java.util.concurrent.LinkedTransferQueue}, whose poll with a timeout
	 * may never return and keep a processor busy, up to JDK 21.0.1 (JDK-8301341).
	 */
	private static final class WaitingTasks extends LinkedBlockingQueue<Runnable> {

		private static final long serialVersionUID = 1L;

		/**
		 * Number of threads that wait. Guarded by this, as are additions and removals.
		 */
		private int idle;

		@Override
		public synchronized boolean offer(Runnable task) {
			return size() < this.idle && add(task);
		}

		@Override
		public synchronized boolean add(Runnable task) {
			notify();
			return super.offer(task);
		}

		@Override
		public synchronized @Nullable Runnable poll(long timeout, TimeUnit unit) throws InterruptedException {
			long deadline = System.nanoTime() + unit.toNanos(timeout);
			Runnable task = poll();
			while (task == null) {
				long left = deadline - System.nanoTime();
				if (left <= 0) {
					return null;
				}
				this.idle++;
				try {
					TimeUnit.NANOSECONDS.timedWait(this, left);
				}
				finally {
					this.idle--;
				}
				task = poll();
			}
			return task;
		}

		@Override
		public Runnable take() throws InterruptedException {
			Runnable task;
			do {
				task = poll(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
			}
			while (task == null);
			return task;
		}

	}

}
