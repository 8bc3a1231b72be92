package io.statestore.client.mqtt.paho;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
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

	/**
	 * @param onFailure called on the thread of a failed task
	 */
	LinkThreads(ThreadFactory threads, Consumer<Throwable> onFailure) {
		super(COUNT, threads);
		setRemoveOnCancelPolicy(true);
		this.onFailure = onFailure;
	}

	@Override
	protected void afterExecute(Runnable task, @Nullable Throwable unused) {
		// A cancelled task belongs to a connection that is already ending.
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
