package io.statestore.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * End of a command that runs until it is stopped: by Ctrl+C, SIGTERM, or
 * {@link #request()}. The command then ends normally, and its exit code is its own.
 */
final class Stop implements AutoCloseable {

	private static final String[] SIGNALS = { "INT", "TERM" };

	private final CountDownLatch requested = new CountDownLatch(1);

	private final SignalHandler[] previous = new SignalHandler[SIGNALS.length];

	private Stop() {
	}

	/** Returns an object that is notified of signals until it is closed. */
	static Stop onSignals() {
		Stop stop = new Stop();
		for (int i = 0; i < SIGNALS.length; i++) {
			stop.previous[i] = handle(SIGNALS[i], (signal) -> stop.request());
		}
		return stop;
	}

	private static SignalHandler handle(String signal, SignalHandler handler) {
		try {
			return Signal.handle(new Signal(signal), handler);
		}
		catch (IllegalArgumentException ex) {
			// The JVM does not permit a handler for the signal, for example with -Xrs.
			return SignalHandler.SIG_DFL;
		}
	}

	/** Ends the command. */
	void request() {
		this.requested.countDown();
	}

	boolean isRequested() {
		return this.requested.getCount() == 0;
	}

	/** Waits at most this time, and returns whether the command must end. */
	boolean await(Duration time) {
		try {
			return this.requested.await(time.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return true;
		}
	}

	/** Restores the behavior of the signals. */
	@Override
	public void close() {
		for (int i = 0; i < SIGNALS.length; i++) {
			handle(SIGNALS[i], this.previous[i]);
		}
	}

}
