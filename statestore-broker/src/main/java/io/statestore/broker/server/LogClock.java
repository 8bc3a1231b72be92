package io.statestore.broker.server;

import java.util.function.LongSupplier;

/**
 * The log's clock. Its time is the log time of the last entry before this process
 * started, plus the time since then. Log time does not pass while the store is down, so
 * no key expires early.
 */
final class LogClock {

	private final LongSupplier nanoClock;

	/** Log time when the monotonic clock reads 0. */
	private final long offset;

	private long last;

	/**
	 * Creates a clock that starts now.
	 * @param start log time of the last entry
	 * @param nanoClock returns a monotonic clock's reading, in nanoseconds
	 */
	LogClock(long start, LongSupplier nanoClock) {
		this.nanoClock = nanoClock;
		this.offset = start - nanoClock.getAsLong();
		this.last = start;
	}

	/** Returns the log time in nanoseconds, never less than before. */
	long now() {
		return at(this.nanoClock.getAsLong());
	}

	/** Returns the log time in nanoseconds. Thread-safe, unlike the other methods. */
	long read() {
		return this.offset + this.nanoClock.getAsLong();
	}

	/** Returns the log time for a reading of the monotonic clock. */
	long at(long nanos) {
		this.last = Math.max(this.last, this.offset + nanos);
		return this.last;
	}

}
