package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The timer of a registry and the threads of its callbacks: daemons that end when there
 * is nothing to do.
 */
final class LockThreads implements LockTime, Executor {

	private static final int IDLE_SECONDS = 10;

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
			daemons("statestore-lock-timer"));

	/** As many as needed: one that blocks must not keep a loss from somebody else. */
	private final ThreadPoolExecutor callbacks = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS,
			TimeUnit.SECONDS, new SynchronousQueue<>(), daemons("statestore-lock-callback"));

	LockThreads() {
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

	@Override
	public void execute(Runnable task) {
		this.callbacks.execute(task);
	}

}
