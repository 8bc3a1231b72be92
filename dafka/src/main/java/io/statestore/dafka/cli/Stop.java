package io.statestore.dafka.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Signals that the process must end because of SIGINT or SIGTERM. The process ends only
 * when this object is closed, so that the main thread can release resources first.
 */
final class Stop implements AutoCloseable {

	private static final Duration POLL = Duration.ofMillis(500);

	/** How long the end of the process waits for this object to be closed. */
	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

	private final CountDownLatch requested = new CountDownLatch(1);

	private final CountDownLatch closed = new CountDownLatch(1);

	private Stop() {
	}

	/** Returns an object that is notified of signals. */
	static Stop onSignals() {
		Stop stop = new Stop();
		Runtime.getRuntime().addShutdownHook(new Thread(stop::request, "dafka-stop"));
		return stop;
	}

	private void request() {
		this.requested.countDown();
		await(this.closed, CLOSE_TIMEOUT);
	}

	boolean isRequested() {
		return this.requested.getCount() == 0;
	}

	/** Waits up to a given time for a signal. Returns whether the process must end. */
	boolean await(Duration time) {
		return await(this.requested, time);
	}

	/**
	 * Waits until the process must end or a node fails.
	 * @param node kind of node, for the message
	 * @param failure returns the node's error, or {@code null} while it works
	 * @param messages prints the error
	 * @return the exit code
	 */
	int awaitEnd(String node, Supplier<@Nullable Throwable> failure, Messages messages) {
		Throwable cause = failure.get();
		while (cause == null && !await(POLL)) {
			cause = failure.get();
		}
		if (cause == null) {
			return 0;
		}
		messages.error("The %s failed; start it again: %s", node, cause);
		return Messages.FAILED;
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

	/** Lets the process end. */
	@Override
	public void close() {
		this.closed.countDown();
	}

}
