package io.statestore.dafka.internal;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Limits the warnings about one problem, because peers can trigger any number of them:
 * ten at first, then one per minute. Not thread-safe. Internal: not part of the API.
 */
public final class WarningLimit {

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final int BURST = 10;

	private boolean started;

	private int left = BURST;

	private long next;

	private long suppressed;

	/**
	 * Logs a warning with the number of warnings left out so far. If the limit is
	 * reached, only counts the warning.
	 * @param logger logger to use
	 * @param now current time in nanoseconds
	 * @param format message with a placeholder for each argument
	 * @param arguments message arguments, optionally followed by an exception
	 */
	public void warn(Logger logger, long now, String format, @Nullable Object... arguments) {
		if (permits(now)) {
			logger.warn(format + ". Similar messages left out: " + this.suppressed, arguments);
		}
	}

	/**
	 * Decides whether to log a warning now. If not, counts the warning as left out.
	 * @param now current time in nanoseconds
	 * @return {@code true} to log the warning
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
	 * @return number since this limit was created
	 */
	public long suppressed() {
		return this.suppressed;
	}

}
