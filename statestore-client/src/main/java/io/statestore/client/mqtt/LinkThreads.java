package io.statestore.client.mqtt;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;

import io.statestore.client.ClientResources;
import org.jspecify.annotations.Nullable;

/**
 * Threads for Paho, which report their failures. The receiver of Paho does not catch
 * unexpected exceptions, such as those of a malformed packet, and its sender catches no
 * errors. Such a thread would end unnoticed.
 */
final class LinkThreads extends ScheduledThreadPoolExecutor {

	/** Paho runs a receiver, a sender and a callback loop, and short tasks beside. */
	private static final int COUNT = 6;

	private final Consumer<Throwable> onFailure;

	/**
	 * @param onFailure called on a thread of which a task has failed
	 */
	LinkThreads(String clientId, Consumer<Throwable> onFailure) {
		super(COUNT, ClientResources.daemonThreads("statestore-mqtt-" + clientId));
		setRemoveOnCancelPolicy(true);
		this.onFailure = onFailure;
	}

	@Override
	protected void afterExecute(Runnable task, @Nullable Throwable unused) {
		// What is cancelled belongs to a connection that ends already.
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
