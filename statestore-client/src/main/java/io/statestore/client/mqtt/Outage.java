package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The time without a connection: its length, the attempts to connect, and when a warning
 * is due. Not thread-safe.
 */
final class Outage {

	/** Interval between warnings after the first one. */
	static final Duration WARNING_INTERVAL = Duration.ofMinutes(1);

	private final LongSupplier clock;

	private long since;

	private long warnedAt;

	private boolean warned;

	private int attempts;

	/**
	 * @param clock nanoseconds of a clock that never goes back
	 */
	Outage(LongSupplier clock) {
		this.clock = clock;
		begin();
	}

	/** Starts over, because the search begins or a connection was lost. */
	void begin() {
		this.since = this.clock.getAsLong();
		this.warned = false;
		this.attempts = 0;
	}

	void attempt() {
		this.attempts++;
	}

	int attempts() {
		return this.attempts;
	}

	Duration duration() {
		return Duration.ofNanos(this.clock.getAsLong() - this.since);
	}

	/** Returns whether to log a warning now, which counts as logged then. */
	boolean isWarningDue() {
		long now = this.clock.getAsLong();
		if (this.warned && now - this.warnedAt < WARNING_INTERVAL.toNanos()) {
			return false;
		}
		this.warned = true;
		this.warnedAt = now;
		return true;
	}

}
