package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retries of journal operations that fail, for instance because another process has
 * filled the disk. An operation waits until it succeeds, so that the journal stays
 * complete and in order. Thread-safe.
 */
final class DiskRetry {

	private static final Logger logger = LoggerFactory.getLogger(DiskRetry.class);

	private static final long INTERVAL_MILLIS = 100;

	private final Path directory;

	private final AtomicInteger waiting = new AtomicInteger();

	private volatile boolean stopping;

	/**
	 * Creates an object that repeats operations.
	 * @param directory directory of the journal
	 */
	DiskRetry(Path directory) {
		this.directory = directory;
	}

	/**
	 * Handles the stop of the broker. Operations that wait fail, and so do later ones.
	 */
	synchronized void stop() {
		this.stopping = true;
		notifyAll();
	}

	/**
	 * Returns whether the broker is stopping. Failed operations are then not repeated.
	 */
	boolean isStopping() {
		return this.stopping;
	}

	/** Returns whether an operation waits. */
	boolean isWaiting() {
		return this.waiting.get() > 0;
	}

	/**
	 * Runs an operation until it succeeds.
	 * @param operation an operation that may be repeated after a failure
	 * @throws IOException if the operation fails and the broker stops, or if a file is
	 * closed
	 */
	void run(Operation operation) throws IOException {
		try {
			operation.run();
		}
		catch (ClosedChannelException ex) {
			throw ex;
		}
		catch (IOException ex) {
			repeat(operation, ex);
		}
	}

	private void repeat(Operation operation, IOException failure) throws IOException {
		IOException latest = failure;
		if (this.waiting.getAndIncrement() == 0 && !this.stopping) {
			logger.warn(
					"The journal of MQTT messages in {} cannot be written: {}. Writes are retried. Until they succeed, "
							+ "MQTT messages that must be stored are refused. The state store does not depend on this",
					this.directory, failure.toString());
		}
		try {
			while (pause()) {
				try {
					operation.run();
					return;
				}
				catch (ClosedChannelException ex) {
					throw ex;
				}
				catch (IOException ex) {
					latest = ex;
				}
			}
		}
		finally {
			if (this.waiting.decrementAndGet() == 0 && !this.stopping) {
				logger.info("The journal of MQTT messages in {} can be written again", this.directory);
			}
		}
		throw latest;
	}

	/** Returns whether to repeat the operation. */
	private synchronized boolean pause() throws IOException {
		try {
			if (!this.stopping) {
				wait(INTERVAL_MILLIS);
			}
			return !this.stopping;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new InterruptedIOException("Interrupted while waiting for the disk");
		}
	}

	/** An operation of the disk. */
	interface Operation {

		/** Runs the operation. */
		void run() throws IOException;

	}

}
