package io.statestore.client.cache;

import java.time.Duration;

import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Computes expiry deadlines for a near cache. The store notifies the cache when a key
 * expires. If that notification is late, the deadline limits how long the value can still
 * be read.
 */
record NearExpiry(@Nullable Duration expiry, TimeSource time) {

	/** Deadline for values that do not expire. */
	private static final long NEVER = 0;

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
