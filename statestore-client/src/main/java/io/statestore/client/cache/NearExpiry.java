package io.statestore.client.cache;

import java.time.Duration;

import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Deadlines in a near cache. The store reports the end of an expiry with a notification.
 * The deadline bounds the time for which a value can be read if that notification is
 * late.
 */
record NearExpiry(@Nullable Duration expiry, TimeSource time) {

	/** Deadline of values that do not expire. */
	private static final long NEVER = 0;

	/** Returns the deadline of a value that was written now. */
	long deadline() {
		if (this.expiry == null) {
			return NEVER;
		}
		long deadline = this.time.nanoTime() + this.expiry.toNanos();
		return (deadline != NEVER) ? deadline : 1;
	}

	boolean isOver(long deadline) {
		return deadline != NEVER && this.time.nanoTime() - deadline >= 0;
	}

}
