package io.statestore.broker.standalone;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter for a time with a unit, such as {@code 500ms}, {@code 2s}, or {@code 1m}. */
final class DurationConverter implements ITypeConverter<Duration> {

	private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

	private static final Map<String, ChronoUnit> UNITS = Map.of("ms", ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS, "m",
			ChronoUnit.MINUTES, "h", ChronoUnit.HOURS, "d", ChronoUnit.DAYS);

	@Override
	public Duration convert(String value) {
		Matcher time = TIME.matcher(value.toLowerCase(Locale.ROOT));
		if (!time.matches()) {
			throw new TypeConversionException(
					"'" + value + "' is not a time; use a number with a unit, such as 500ms, 2s, or 1m");
		}
		return Duration.of(Long.parseLong(time.group(1)), UNITS.get(time.group(2)));
	}

}
