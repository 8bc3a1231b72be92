package io.statestore.client.mqtt.internal;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Threads for Paho that report their failures. Paho's receiver does not catch unexpected
 * exceptions, such as those of a malformed packet, and its sender catches no errors. Such
 * a thread would end unnoticed.
 */
final class LinkThreads extends ScheduledThreadPoolExecutor {

	/** Room for Paho's receiver, sender, and callback loop, and for short tasks. */
	private static final int COUNT = 6;

	private final Consumer<Throwable> onFailure;

	private final Object lock = new Object();

	/** Thread that starts Paho's loops, {@code null} if none does. */
	private @Nullable Thread starter;

	/** Repeated wake-up of the starter, {@code null} without one. */
	private @Nullable Future<?> alarm;

	/**
	 * @param onFailure called on the thread of a failed task
	 */
	LinkThreads(ThreadFactory threads, Consumer<Throwable> onFailure) {
		super(COUNT, threads);
		setRemoveOnCancelPolicy(true);
		this.onFailure = onFailure;
	}

	/**
	 * Starts a loop of Paho. Paho then sleeps for 100 ms unless the loop already runs, so
	 * that each connect would take 300 ms. It ignores interrupts, which shorten its
	 * sleep.
	 */
	@Override
	public Future<?> submit(Runnable loop) {
		Future<?> future = super.submit(loop);
		synchronized (this.lock) {
			if (this.starter == null) {
				this.starter = Thread.currentThread();
				this.alarm = scheduleWithFixedDelay(this::wakeStarter, 1, 1, TimeUnit.MILLISECONDS);
			}
		}
		return future;
	}

	private void wakeStarter() {
		synchronized (this.lock) {
			if (this.starter != null && this.starter.getState() == Thread.State.TIMED_WAITING) {
				this.starter.interrupt();
			}
		}
	}

	/** Ensures that no interrupt reaches the next task of the thread. */
	private void forgetStarter() {
		synchronized (this.lock) {
			if (this.starter == Thread.currentThread()) {
				this.starter = null;
				if (this.alarm != null) {
					this.alarm.cancel(false);
				}
			}
		}
	}

	@Override
	protected void afterExecute(Runnable task, @Nullable Throwable unused) {
		forgetStarter();
		// A canceled task belongs to a connection that is already ending.
		if (!(task instanceof Future<?> future) || !future.isDone() || future.isCancelled()) {
			return;
		}
		try {
			future.get();
		}
		catch (ExecutionException ex) {
			this.onFailure.accept((ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
