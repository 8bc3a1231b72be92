package io.statestore.broker.log;

import java.time.Duration;
import java.util.Timer;
import java.util.TimerTask;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forces the log beside the thread that appends. Whatever goes wrong there fails the log.
 */
final class IntervalForce extends TimerTask {

	private static final Logger logger = LoggerFactory.getLogger(IntervalForce.class);

	private final Timer timer = new Timer("statestore-log-force", true);

	private final LogWriter writer;

	private final Consumer<LogFailedException> listener;

	private boolean closed;

	/** Starts a thread that pauses after each force. */
	IntervalForce(LogWriter writer, Duration pause, Consumer<LogFailedException> listener) {
		this.writer = writer;
		this.listener = listener;
		long millis = Math.max(1, pause.toMillis());
		this.timer.schedule(this, millis, millis);
	}

	@Override
	public synchronized void run() {
		if (this.closed) {
			return;
		}
		try {
			this.writer.force();
		}
		catch (Throwable ex) {
			close();
			logger.error("Failed to force the log; acknowledged writes may be lost", ex);
			LogFailedException failure = this.writer.failure();
			this.listener.accept((failure != null) ? failure : this.writer.fail(ex));
		}
	}

	/** Waits for a force that is in progress. */
	synchronized void close() {
		this.closed = true;
		this.timer.cancel();
	}

}
