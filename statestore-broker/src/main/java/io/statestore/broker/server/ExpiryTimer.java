package io.statestore.broker.server;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.engine.StateStoreEngine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Schedules the expiry of keys (protocol section 6). At most one task is scheduled, for
 * the next deadline. Used only within the serial executor.
 */
final class ExpiryTimer {

	private static final Logger logger = LoggerFactory.getLogger(ExpiryTimer.class);

	/** Maximum number of keys that expire before requests are handled. */
	private static final int BATCH = 1_000;

	private static final long RUNNING = Long.MIN_VALUE;

	private static final long NEVER = Long.MAX_VALUE;

	private final StateStoreEngine<?> engine;

	private final SerialExecutor serial;

	private final ScheduledExecutorService scheduler;

	private final Runnable afterwards;

	/** Deadline of the scheduled task. */
	private long planned = NEVER;

	private @Nullable Future<?> task;

	private boolean closed;

	/**
	 * Creates a timer.
	 * @param afterwards runs after keys have expired
	 */
	ExpiryTimer(StateStoreEngine<?> engine, SerialExecutor serial, ScheduledExecutorService scheduler,
			Runnable afterwards) {
		this.afterwards = afterwards;
		this.engine = engine;
		this.serial = serial;
		this.scheduler = scheduler;
	}

	/**
	 * Schedules the next deadline. Must be called after every operation that may set a
	 * deadline.
	 */
	void update() {
		long next = this.engine.nextDeadline();
		if (next < this.planned && !this.closed) {
			cancel();
			try {
				this.task = this.scheduler.schedule(() -> this.serial.execute(this::expire),
						this.engine.nanosToNextDeadline(), TimeUnit.NANOSECONDS);
				this.planned = next;
			}
			catch (RejectedExecutionException ex) {
				logger.warn("The scheduler is shut down. Keys still expire, but observers are not notified in time");
			}
		}
	}

	/** Ends expiry. Tasks that are already scheduled have no effect. */
	void close() {
		this.closed = true;
		cancel();
	}

	private void cancel() {
		if (this.task != null) {
			this.task.cancel(false);
			this.task = null;
		}
		this.planned = NEVER;
	}

	private void expire() {
		cancel();
		if (this.closed) {
			return;
		}
		if (this.engine.expire(BATCH)) {
			this.planned = RUNNING;
			this.serial.execute(this::expire);
		}
		else {
			update();
		}
		this.afterwards.run();
	}

}
