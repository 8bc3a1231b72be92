package io.statestore.protocol;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as text with a unit, such as {@code 500ms}, {@code 2s}, or {@code 7d}. */
public final class DurationText {

	private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

	private static final Map<String, ChronoUnit> UNITS = Map.of("ms", ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS, "m",
			ChronoUnit.MINUTES, "h", ChronoUnit.HOURS, "d", ChronoUnit.DAYS);

	private DurationText() {
	}

	/**
	 * Parses a duration.
	 * @param text a number of at most nine digits, followed by the unit ms, s, m, h, or d
	 * @return the duration, zero or longer
	 * @throws IllegalArgumentException if the text has another format
	 */
	public static Duration parse(String text) {
		Matcher matcher = FORM.matcher(text.toLowerCase(Locale.ROOT));
		if (!matcher.matches()) {
			throw new IllegalArgumentException("'" + text
					+ "' is not a time; use up to 9 digits with a unit (ms, s, m, h, or d), such as 500ms, 2s, or 1m");
		}
		return Duration.of(Long.parseLong(matcher.group(1)), UNITS.get(matcher.group(2)));
	}

}
