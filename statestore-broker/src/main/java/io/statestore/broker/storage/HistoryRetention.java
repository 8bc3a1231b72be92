package io.statestore.broker.storage;

import java.time.Duration;

import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;

/**
 * How much history a store keeps. Older changes are removed once a store snapshot has
 * replaced them.
 *
 * @param time the minimum age at which changes are removed
 * @param bytes the maximum size of the history in bytes, which takes precedence over the
 * time. The log that the store needs for a restart does not count
 */
public record HistoryRetention(Duration time, long bytes) {

	/** Keeps all changes. */
	public static final HistoryRetention UNLIMITED = new HistoryRetention(Duration.ofDays(36_500), Long.MAX_VALUE);

	/**
	 * Creates a retention.
	 * @throws InvalidOptionException if a limit is out of range
	 */
	public HistoryRetention {
		if (time.isNegative() || time.isZero() || time.compareTo(Duration.ofDays(36_500)) > 0) {
			throw new InvalidOptionException("time", time, "must be positive and at most 36500 days");
		}
		if (bytes < 1) {
			throw new InvalidOptionException("bytes", bytes, "must be 1 or more");
		}
	}

	/**
	 * Returns a retention with the limits that are set.
	 * @param time the minimum age at which changes are removed, or {@code null}
	 * @param bytes the maximum size of the history in bytes, or {@code null}
	 * @return the retention, or {@code null} if neither limit is set, which means no
	 * history
	 * @throws InvalidOptionException if a limit is out of range
	 */
	public static @Nullable HistoryRetention ofLimits(@Nullable Duration time, @Nullable Long bytes) {
		if (time == null && bytes == null) {
			return null;
		}
		return new HistoryRetention((time != null) ? time : UNLIMITED.time(),
				(bytes != null) ? bytes : UNLIMITED.bytes());
	}

}
