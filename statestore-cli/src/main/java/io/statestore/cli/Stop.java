package io.statestore.cli;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Ends a command on Ctrl+C, SIGTERM, SIGHUP, or {@link #request()}. The command then ends
 * in an orderly way, with its own exit code. Thread-safe.
 */
final class Stop implements AutoCloseable {

	/** Does nothing: the command itself checks for a request. */
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
				// The operating system does not have this signal, or the JVM runs with
				// -Xrs.
			}
		}
		return stop;
	}

	/**
	 * Replaces the action to run on a request. If there was a request already, runs the
	 * action now. Does not return while the earlier action is running.
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

	/** Waits up to a given time. Returns whether the command must end. */
	boolean await(Duration time) {
		try {
			return this.requested.await(time.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return true;
		}
	}

	/** Restores the signals' previous behavior. */
	@Override
	public void close() {
		this.previous.forEach(Signal::handle);
	}

}
