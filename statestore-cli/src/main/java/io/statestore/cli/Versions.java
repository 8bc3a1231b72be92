package io.statestore.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Times of versions and durations, as people read them. */
final class Versions {

	private Versions() {
	}

	/**
	 * Returns the wall time of a version in the time zone of this machine, such as
	 * {@code 2026-11-23T04:20:11.123+01:00}.
	 */
	static String time(Version version) {
		return time(Instant.ofEpochMilli(version.wallMillis()));
	}

	/** Returns a time with milliseconds in the time zone of this machine. */
	static String time(Instant time) {
		OffsetDateTime local = time.truncatedTo(ChronoUnit.MILLIS).atZone(ZoneId.systemDefault()).toOffsetDateTime();
		// The nanosecond makes toString() print all digits. The last six are removed.
		String text = local.plusNanos(1).toString();
		int point = text.indexOf('.');
		return text.substring(0, point + 4) + text.substring(point + 10);
	}

	/** Returns a duration in seconds, {@code null} if it is unknown. */
	static @Nullable Double seconds(@Nullable Duration duration) {
		return (duration != null) ? duration.toMillis() / 1000.0 : null;
	}

}
