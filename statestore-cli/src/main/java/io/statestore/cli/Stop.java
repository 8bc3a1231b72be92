package io.statestore.cli;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * End of a command by Ctrl+C, SIGTERM, SIGHUP, or {@link #request()}. The command then
 * ends in order, and its exit code is its own. Thread-safe.
 */
final class Stop implements AutoCloseable {

	/** Leaves it to the command to check for a request. */
	static final Runnable NO_ACTION = () -> {
	};

	private static final String[] SIGNALS = { "INT", "TERM", "HUP" };

	private final CountDownLatch requested = new CountDownLatch(1);

	private final Map<Signal, SignalHandler> previous = new HashMap<>();

	private Runnable action = NO_ACTION;

	private Stop() {
	}

	/** Returns an object that is notified of signals until it is closed. */
	static Stop onSignals() {
		Stop stop = new Stop();
		for (String name : SIGNALS) {
			try {
				Signal signal = new Signal(name);
				stop.previous.put(signal, Signal.handle(signal, (received) -> stop.request()));
			}
			catch (IllegalArgumentException ex) {
				// The system has no such signal, or the JVM runs with -Xrs.
			}
		}
		return stop;
	}

	/**
	 * Sets what a request does, in place of the earlier action. Runs it now if there was
	 * a request. Does not return while the earlier action runs.
	 */
	synchronized void perform(Runnable action) {
		this.action = action;
		if (isRequested()) {
			action.run();
		}
	}

	/** Ends the command. */
	synchronized void request() {
		this.requested.countDown();
		this.action.run();
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
		this.previous.forEach(Signal::handle);
	}

}
