package io.statestore.listener;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Internal: the end of a timeout. Not part of the API. Thread-safe. */
public final class Deadline {

	private final LongSupplier clock;

	private final long end;

	private Deadline(LongSupplier clock, long end) {
		this.clock = clock;
		this.end = end;
	}

	/**
	 * Returns a deadline.
	 * @param timeout time from now
	 * @param clock clock in nanoseconds, such as {@link System#nanoTime}
	 * @return the deadline
	 */
	public static Deadline after(Duration timeout, LongSupplier clock) {
		return new Deadline(clock, clock.getAsLong() + timeout.toNanos());
	}

	/**
	 * Returns the time that is left.
	 * @return the time, zero once the deadline has passed
	 */
	public Duration remaining() {
		return Duration.ofNanos(Math.max(0, this.end - this.clock.getAsLong()));
	}

}
