package io.statestore.broker.artemis.session;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Failures to write sessions, of which the first is logged. Thread-safe. */
final class SessionFailures {

	private static final Logger logger = LoggerFactory.getLogger(SessionFailures.class);

	/** Whether changes could not be written. */
	private final AtomicBoolean behind = new AtomicBoolean();

	/** Whether the latest failure was logged. */
	private final AtomicBoolean logged = new AtomicBoolean();

	void failed(IOException failure) {
		this.behind.set(true);
		if (this.logged.compareAndSet(false, true)) {
			logger
				.error("Failed to store MQTT sessions. New ones continue in memory and are stored as soon as possible. "
						+ "Connections that change stored ones are closed", failure);
		}
	}

	/** Returns whether there was a failure since the previous call. */
	boolean reset() {
		return this.behind.getAndSet(false);
	}

	/** Handles the end of a sweep, which has written everything unless it failed. */
	void swept() {
		if (!this.behind.get() && this.logged.compareAndSet(true, false)) {
			logger.info("MQTT sessions are stored again");
		}
	}

}
