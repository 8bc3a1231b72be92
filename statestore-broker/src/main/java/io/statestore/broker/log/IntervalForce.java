package io.statestore.broker.log;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.netty.util.concurrent.DefaultThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Forces the log at intervals, on a separate thread. Any error makes the log fail. */
final class IntervalForce {

	private static final Logger logger = LoggerFactory.getLogger(IntervalForce.class);

	/**
	 * An executor, because a {@link java.util.Timer} pauses when the system clock is set
	 * back.
	 */
	private final ScheduledExecutorService executor = Executors
		.newSingleThreadScheduledExecutor(new DefaultThreadFactory("statestore-log-force", true));

	private final LogWriter writer;

	private final Consumer<LogFailedException> listener;

	private boolean closed;

	/** Starts the thread, which pauses after each force. */
	IntervalForce(LogWriter writer, Duration pause, Consumer<LogFailedException> listener) {
		this.writer = writer;
		this.listener = listener;
		long nanos = pause.toNanos();
		this.executor.scheduleWithFixedDelay(this::force, nanos, nanos, TimeUnit.NANOSECONDS);
	}

	private synchronized void force() {
		if (this.closed) {
			return;
		}
		try {
			this.writer.force();
		}
		catch (Throwable ex) {
			close();
			logger.error("Failed to force the log to disk, so the log accepts no more writes, and writes acknowledged "
					+ "since the last interval may be lost. Check the disk, then restart", ex);
			LogFailedException failure = this.writer.failure();
			this.listener.accept((failure != null) ? failure : this.writer.fail(ex));
		}
	}

	/** Stops forcing. Waits for a force in progress. */
	synchronized void close() {
		this.closed = true;
		this.executor.shutdown();
	}

}
