package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;
import io.statestore.sample.room.LogEntry.Kind;

import org.springframework.stereotype.Component;

/** Measures the time from the end of a broker until the store accepts a write. */
@Component
class WriteProbe implements AutoCloseable {

	static final String KEY = "line/probe";

	private static final Duration EXPIRY = Duration.ofMinutes(1);

	private static final long PAUSE_MILLIS = 20;

	private final StateStoreOperations store;

	private final Line line;

	private volatile boolean closed;

	WriteProbe(StateStoreOperations store, Line line) {
		this.store = store;
		this.line = line;
	}

	/** Starts to measure, and returns at once. */
	void start(String broker, Instant killed) {
		Thread thread = new Thread(() -> measure(broker, killed), "write-probe");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Writes until a write is acknowledged. A write waits for a connection, up to the
	 * timeout of the store, so that nothing is polled during the outage.
	 */
	private void measure(String broker, Instant killed) {
		while (!this.closed) {
			try {
				this.store.set(KEY, broker + " was killed", (spec) -> spec.expire(EXPIRY));
				long millis = Duration.between(killed, Instant.now()).toMillis();
				this.line.log(Kind.CHANGE, String.format(Locale.ROOT,
						"The store accepts writes, %,d ms after %s was killed.", millis, broker));
				return;
			}
			catch (StateStoreException ex) {
				if (!sleep()) {
					return;
				}
			}
		}
	}

	private static boolean sleep() {
		try {
			Thread.sleep(PAUSE_MILLIS);
			return true;
		}
		catch (InterruptedException ex) {
			return false;
		}
	}

	@Override
	public void close() {
		this.closed = true;
	}

}
