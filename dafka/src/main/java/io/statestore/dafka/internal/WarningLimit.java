package io.statestore.dafka.internal;

import java.util.concurrent.TimeUnit;

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
