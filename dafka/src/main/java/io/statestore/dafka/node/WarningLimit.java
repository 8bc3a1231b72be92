package io.statestore.dafka.node;

import java.util.concurrent.TimeUnit;

/**
 * Limits the warnings of one cause to ten at once and one a minute after that, since
 * peers can cause any number. For one thread.
 */
public final class WarningLimit {

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final int BURST = 10;

	private boolean started;

	private int left = BURST;

	private long next;

	private long suppressed;

	/**
	 * Returns whether to log a warning now; otherwise it is counted.
	 * @param now the time
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

	/** Returns the number of warnings left out since the start, for the next one. */
	public long suppressed() {
		return this.suppressed;
	}

}
