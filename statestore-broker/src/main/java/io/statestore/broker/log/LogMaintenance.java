package io.statestore.broker.log;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that forces the log beside the one that appends. Whatever goes wrong there fails
 * the log.
 */
final class LogMaintenance implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(LogMaintenance.class);

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, LogMaintenance::thread);

	private final Consumer<Throwable> onFailure;

	/** Creates the thread, which starts with the first task. */
	LogMaintenance(Consumer<Throwable> onFailure) {
		this.onFailure = onFailure;
		this.executor.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	private static Thread thread(Runnable task) {
		Thread thread = new Thread(task, "statestore-log-maintenance");
		thread.setDaemon(true);
		return thread;
	}

	/** Runs a task until it fails, with a pause after each run. */
	void repeat(Runnable task, Duration pause) {
		this.executor.scheduleWithFixedDelay(() -> runOrFail(task), pause.toNanos(), pause.toNanos(),
				TimeUnit.NANOSECONDS);
	}

	private void runOrFail(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			this.executor.shutdown();
			logger.error("Failed to force the log; acknowledged writes may be lost", ex);
			this.onFailure.accept(ex);
		}
	}

	/**
	 * Waits for the thread, without an interrupt, which would close the file it forces.
	 */
	@Override
	public void close() {
		this.executor.shutdown();
		boolean interrupted = false;
		while (!this.executor.isTerminated()) {
			try {
				this.executor.awaitTermination(1, TimeUnit.MINUTES);
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
