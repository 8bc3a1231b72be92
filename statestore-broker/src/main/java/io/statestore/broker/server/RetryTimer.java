package io.statestore.broker.server;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Schedules a leader's retries, which run within the serial executor. */
final class RetryTimer {

	private static final Logger logger = LoggerFactory.getLogger(RetryTimer.class);

	static final long DELAY_MILLIS = 20;

	private final SerialExecutor serial;

	private final ScheduledExecutorService scheduler;

	RetryTimer(SerialExecutor serial, ScheduledExecutorService scheduler) {
		this.serial = serial;
		this.scheduler = scheduler;
	}

	/** Runs a task after {@link #DELAY_MILLIS}. */
	void schedule(Runnable task) {
		try {
			this.scheduler.schedule(() -> this.serial.execute(task), DELAY_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.warn("The server's scheduler is shut down, so some requests receive no reply. If the server is not "
					+ "stopping, restart it");
		}
	}

}
