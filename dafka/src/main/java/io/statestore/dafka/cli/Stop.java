package io.statestore.dafka.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Tells the main thread that the process is to end (SIGINT, SIGTERM), and lets it end
 * only after the main thread has closed what it opened: open this first.
 */
final class Stop implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final CountDownLatch requested = new CountDownLatch(1);

	private final CountDownLatch closed = new CountDownLatch(1);

	private Stop() {
	}

	static Stop onSignals() {
		Stop stop = new Stop();
		Runtime.getRuntime().addShutdownHook(new Thread(stop::request, "dafka-stop"));
		return stop;
	}

	private void request() {
		this.requested.countDown();
		await(this.closed, PATIENCE);
	}

	boolean isRequested() {
		return this.requested.getCount() == 0;
	}

	/** Waits; whether the process is to end. */
	boolean await(Duration time) {
		return await(this.requested, time);
	}

	private static boolean await(CountDownLatch latch, Duration time) {
		try {
			return latch.await(time.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return true;
		}
	}

	/** Everything is closed, the process may end. */
	@Override
	public void close() {
		this.closed.countDown();
	}

}
