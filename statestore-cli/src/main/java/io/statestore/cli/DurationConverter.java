package io.statestore.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter for a time with a unit, such as {@code 500ms}, {@code 2s}, or {@code 7d}. */
final class DurationConverter implements ITypeConverter<Duration> {

	private static final Pattern TIME = Pattern.compile("(\\d+)(ms|s|m|h|d)");

	private static final int MAX_DIGITS = 9;

	@Override
	public Duration convert(String value) {
		Matcher time = TIME.matcher(value.toLowerCase(Locale.ROOT));
		boolean valid = time.matches();
		if (valid && time.group(1).length() > MAX_DIGITS) {
			throw new TypeConversionException(
					"'" + value + "' is too long; use at most " + "9".repeat(MAX_DIGITS) + time.group(2));
		}
		long number = valid ? Long.parseLong(time.group(1)) : 0;
		if (number == 0) {
			throw new TypeConversionException("'" + value
					+ "' is not a time longer than 0; use a number with a unit, such as 500ms, 2s, 1m, 12h, or 7d");
		}
		return switch (time.group(2)) {
			case "ms" -> Duration.ofMillis(number);
			case "s" -> Duration.ofSeconds(number);
			case "m" -> Duration.ofMinutes(number);
			case "h" -> Duration.ofHours(number);
			default -> Duration.ofDays(number);
		};
	}

}
