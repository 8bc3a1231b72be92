package io.statestore.broker.log;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Thread that forces the log in intervals, until it fails or is closed. */
final class IntervalForce implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(IntervalForce.class);

	private final LogWriter writer;

	private final Duration interval;

	private final Consumer<LogFailedException> failureListener;

	private final CountDownLatch closed = new CountDownLatch(1);

	private final Thread thread = new Thread(this::run, "state store log");

	IntervalForce(LogWriter writer, Duration interval, Consumer<LogFailedException> failureListener) {
		this.writer = writer;
		this.interval = interval;
		this.failureListener = failureListener;
		this.thread.setDaemon(true);
		this.thread.start();
	}

	private void run() {
		try {
			while (!this.closed.await(this.interval.toNanos(), TimeUnit.NANOSECONDS)) {
				this.writer.force();
			}
		}
		catch (LogFailedException ex) {
			logger.error("Failed to force the log; acknowledged writes may be lost", ex);
			this.failureListener.accept(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Stops the thread without an interrupt, which would close the file it forces. */
	@Override
	public void close() {
		this.closed.countDown();
		boolean interrupted = false;
		while (this.thread.isAlive() && this.thread != Thread.currentThread()) {
			try {
				this.thread.join();
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
