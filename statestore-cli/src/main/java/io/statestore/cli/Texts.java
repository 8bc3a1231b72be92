package io.statestore.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Formats strings, times, and durations for people. Keys, values, and client names come
 * from other programs, and their control characters could affect the terminal.
 */
final class Texts {

	/** Characters that may affect a terminal or are invisible. */
	private static final Pattern CONTROL = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}&&[^\n\t]]");

	private Texts() {
	}

	/** Returns whether a string has no control characters except line breaks and tabs. */
	static boolean isPrintable(String text) {
		return !CONTROL.matcher(text).find();
	}

	/**
	 * Returns a string with control characters replaced, except line breaks and tabs.
	 */
	static String printable(String text) {
		return CONTROL.matcher(text).replaceAll("\uFFFD");
	}

	/**
	 * Returns a printable string, with line breaks and tabs escaped as in a Java string.
	 */
	static String onOneLine(String text) {
		return printable(text).replace("\n", "\\n").replace("\t", "\\t");
	}

	/**
	 * Returns a version's wall time in this machine's time zone, such as
	 * {@code 2026-11-23T04:20:11.123+01:00}.
	 */
	static String time(Version version) {
		return time(Instant.ofEpochMilli(version.wallMillis()));
	}

	/** Returns a time with milliseconds in this machine's time zone. */
	static String time(Instant time) {
		OffsetDateTime local = time.truncatedTo(ChronoUnit.MILLIS).atZone(ZoneId.systemDefault()).toOffsetDateTime();
		// Adding a nanosecond makes toString() print all digits, the last six of which
		// are removed.
		String text = local.plusNanos(1).toString();
		int point = text.indexOf('.');
		return text.substring(0, point + 4) + text.substring(point + 10);
	}

	/** Returns a duration in seconds; {@code null} if unknown. */
	static @Nullable Double seconds(@Nullable Duration duration) {
		return (duration != null) ? duration.toMillis() / 1000.0 : null;
	}

}
