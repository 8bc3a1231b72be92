package io.statestore.client.watch;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.statestore.client.watch.WatchTiming.Timer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retries tasks that the listeners' executor rejects. Otherwise, a rejected change would
 * wait for the next change of its key, which may never arrive. Thread-safe; never blocks.
 */
final class RetryingExecutor {

	/** Delay between a rejection and the next attempt. */
	static final Duration DELAY = Duration.ofMillis(100);

	private static final Duration WARNING_INTERVAL = Duration.ofMinutes(1);

	private static final Logger logger = LoggerFactory.getLogger(RetryingExecutor.class);

	private final AtomicBoolean warned = new AtomicBoolean();

	private final Executor executor;

	private final Timer timer;

	RetryingExecutor(Executor executor, Timer timer) {
		this.executor = executor;
		this.timer = timer;
	}

	/**
	 * Executes a task, now or as soon as the executor accepts it. If the executor throws
	 * although it has accepted the task, the task may run twice.
	 * @param needed returns whether the task is still needed; checked before each retry
	 */
	void execute(Runnable task, BooleanSupplier needed) {
		Throwable rejection = tryExecute(task);
		if (rejection != null) {
			warn(rejection);
			this.timer.schedule(DELAY, () -> {
				if (needed.getAsBoolean()) {
					execute(task, needed);
				}
			});
		}
	}

	/**
	 * Executes a task unless the executor rejects it.
	 * @return the rejection, {@code null} if the task was accepted
	 */
	@Nullable Throwable tryExecute(Runnable task) {
		try {
			this.executor.execute(task);
			return null;
		}
		catch (RuntimeException | Error ex) {
			return ex;
		}
	}

	private void warn(Throwable rejection) {
		if (this.warned.compareAndSet(false, true)) {
			logger.warn(
					"The executor of the key change listeners rejected a task, so changes arrive late; retrying every "
							+ "{} ms. Give the executor more threads or a longer queue, and shut it down after the "
							+ "KeyWatches",
					DELAY.toMillis(), rejection);
			this.timer.schedule(WARNING_INTERVAL, () -> this.warned.set(false));
		}
	}

}
