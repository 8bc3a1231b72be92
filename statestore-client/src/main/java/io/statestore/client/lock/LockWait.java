package io.statestore.client.lock;

import java.time.Duration;

import io.statestore.client.lock.LockMonitor.Outcome;

/**
 * Measures one attempt to acquire a lock, from its creation to {@link #close()}. Not
 * thread-safe.
 */
final class LockWait implements AutoCloseable {

	private final LockMonitor monitor;

	private final LockTime time;

	private final long start;

	/** Outcome to report. It is not replaced if the attempt ends with an exception. */
	private Outcome outcome = Outcome.FAILED;

	LockWait(LockMonitor monitor, LockTime time) {
		this.monitor = monitor;
		this.time = time;
		this.start = time.nanoTime();
	}

	/** Returns the nanoseconds since the start. */
	long nanos() {
		return this.time.nanoTime() - this.start;
	}

	/** Records the outcome, and returns it. */
	boolean ended(boolean acquired) {
		this.outcome = acquired ? Outcome.ACQUIRED : Outcome.NOT_ACQUIRED;
		return acquired;
	}

	@Override
	public void close() {
		this.monitor.waited(this.outcome, Duration.ofNanos(nanos()));
	}

}
