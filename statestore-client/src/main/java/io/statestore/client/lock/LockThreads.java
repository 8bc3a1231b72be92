package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Timer of a registry and the threads of its callbacks. All are daemon threads that end
 * when idle.
 * <p>
 * Callbacks share {@value #THREADS} threads. While callbacks block and others wait, as
 * many threads are added every second, up to {@value #MAX_THREADS}. If no thread can be
 * created, the callback is retried.
 */
final class LockThreads implements LockTime, Executor {

	static final int THREADS = 32;

	static final int MAX_THREADS = 512;

	private static final int IDLE_SECONDS = 10;

	private static final Duration RELIEF = Duration.ofSeconds(1);

	private static final Duration RETRY = Duration.ofMillis(100);

	private static final Logger logger = LoggerFactory.getLogger(LockThreads.class);

	private final AtomicBoolean reliefScheduled = new AtomicBoolean();

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
			daemons("statestore-lock-timer"));

	private final ThreadPoolExecutor callbacks;

	LockThreads() {
		this(daemons("statestore-lock-callback"));
	}

	/**
	 * Creates a timer and threads.
	 * @param callbackThreads creates the threads of the callbacks
	 */
	LockThreads(ThreadFactory callbackThreads) {
		this.callbacks = new ThreadPoolExecutor(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), callbackThreads);
		this.callbacks.allowCoreThreadTimeOut(true);
		this.timer.setRemoveOnCancelPolicy(true);
		this.timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		this.timer.allowCoreThreadTimeOut(true);
	}

	private static ThreadFactory daemons(String name) {
		AtomicInteger count = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, name + '-' + count.incrementAndGet());
			thread.setDaemon(true);
			thread.setContextClassLoader(LockThreads.class.getClassLoader());
			return thread;
		};
	}

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public Runnable schedule(Duration delay, Runnable task) {
		ScheduledFuture<?> future = this.timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
		return () -> future.cancel(false);
	}

	@Override
	public double random() {
		return ThreadLocalRandom.current().nextDouble();
	}

	/** Runs a callback, which may block, on another thread. */
	@Override
	public void execute(Runnable task) {
		try {
			this.callbacks.execute(task);
		}
		catch (OutOfMemoryError ex) {
			logger.warn("No thread for a callback of a lock; retrying: {}", ex.getMessage());
			schedule(RETRY, () -> execute(task));
			return;
		}
		if (!this.callbacks.getQueue().isEmpty()) {
			scheduleRelief();
		}
	}

	private void scheduleRelief() {
		if (this.reliefScheduled.compareAndSet(false, true)) {
			long completed = this.callbacks.getCompletedTaskCount();
			schedule(RELIEF, () -> relieve(completed));
		}
	}

	/** Adds threads if callbacks are waiting, and removes them otherwise. */
	private void relieve(long completedBefore) {
		this.reliefScheduled.set(false);
		int size = this.callbacks.getMaximumPoolSize();
		if (this.callbacks.getQueue().isEmpty()) {
			resize(THREADS);
			return;
		}
		boolean blocked = this.callbacks.getCompletedTaskCount() - completedBefore < size;
		if (blocked && size < MAX_THREADS) {
			resize(Math.min(size + THREADS, MAX_THREADS));
		}
		scheduleRelief();
	}

	private void resize(int size) {
		try {
			if (size > this.callbacks.getMaximumPoolSize()) {
				this.callbacks.setMaximumPoolSize(size);
				this.callbacks.setCorePoolSize(size);
			}
			else {
				this.callbacks.setCorePoolSize(size);
				this.callbacks.setMaximumPoolSize(size);
			}
		}
		catch (OutOfMemoryError ex) {
			logger.warn("No more threads for callbacks of locks: {}", ex.getMessage());
		}
	}

}
