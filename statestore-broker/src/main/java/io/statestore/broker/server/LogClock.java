package io.statestore.broker.server;

import java.util.function.LongSupplier;

/**
 * Clock of the log: the log time of the last entry before this process started, plus the
 * time since then. It does not pass while the store is down, so no key expires early.
 */
final class LogClock {

	private final LongSupplier nanoClock;

	/** Log time at which the monotonic clock would have read 0. */
	private final long offset;

	private long last;

	/**
	 * Creates a clock that starts now.
	 * @param start log time of the last entry
	 * @param nanoClock nanoseconds of a monotonic clock
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

	/** Returns the log time of a reading of the monotonic clock. */
	long at(long nanos) {
		this.last = Math.max(this.last, this.offset + nanos);
		return this.last;
	}

}
