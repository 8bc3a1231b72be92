package io.statestore.dafka.internal;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Limit for the warnings of one cause, because peers can cause any number: ten at first,
 * then one a minute. Not thread-safe. Internal: not part of the API.
 */
public final class WarningLimit {

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final int BURST = 10;

	private boolean started;

	private int left = BURST;

	private long next;

	private long suppressed;

	/**
	 * Logs a warning, and the number of warnings left out. Counts it instead if there
	 * were too many.
	 * @param logger logs the warning
	 * @param now the time in nanoseconds
	 * @param format message, with placeholders for the arguments
	 * @param arguments arguments, which may end with an exception
	 */
	public void warn(Logger logger, long now, String format, @Nullable Object... arguments) {
		if (permits(now)) {
			logger.warn(format + ". Similar messages left out: " + this.suppressed, arguments);
		}
	}

	/**
	 * Returns whether to log a warning now. Otherwise, counts it as left out.
	 * @param now the time in nanoseconds
	 * @return whether to log the warning
	 */
	public boolean permits(long now) {
		if (!this.started) {
			this.started = true;
			this.next = now + INTERVAL_NANOS;
		}
		if (now - this.next >= 0) {
			this.next = now + INTERVAL_NANOS;
			this.left = Math.max(this.left, 1);
		}
		if (this.left == 0) {
			this.suppressed++;
			return false;
		}
		this.left--;
		return true;
	}

	/**
	 * Returns the number of warnings left out.
	 * @return number since the start
	 */
	public long suppressed() {
		return this.suppressed;
	}

}
