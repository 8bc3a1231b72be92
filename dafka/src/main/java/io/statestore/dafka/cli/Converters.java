package io.statestore.dafka.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.TowerAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters for option values, by their types. */
final class Converters {

	private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

	private static final Map<String, Duration> UNITS = Map.of("ms", Duration.ofMillis(1), "s", Duration.ofSeconds(1),
			"m", Duration.ofMinutes(1), "h", Duration.ofHours(1), "d", Duration.ofDays(1));

	private static final Pattern SIZE = Pattern.compile("(\\d{1,18})([kmgt]?)(i?b)?");

	/** Matches a host, possibly in square brackets, and up to two ports. */
	private static final Pattern TOWER = Pattern.compile("(\\[[^]]+]|[^:\\[\\]]+)(?::(\\d{1,9}))?(?::(\\d{1,9}))?");

	private Converters() {
	}

	static CommandLine addTo(CommandLine commandLine) {
		return commandLine
			.registerConverter(Duration.class,
					expecting("a time longer than 0; use a number with ms, s, m, h, or d, such as 500ms or 7d",
							Converters::duration))
			.registerConverter(Timeout.class,
					expecting("never or a time, such as 500ms or 7d",
							(value) -> new Timeout(value.equalsIgnoreCase("never") ? null : duration(value))))
			.registerConverter(Size.class,
					expecting("a size; use a number of bytes, or one with k, M, G, or T (powers of 1024), such as 10G",
							(value) -> new Size(size(value))))
			.registerConverter(Start.class,
					expecting("an offset; use beginning, end, or a number from 0", (value) -> new Start(offset(value))))
			.registerConverter(TowerAddress.class,
					expecting("a tower; use host, host:port, or host:port:pub-port", Converters::tower))
			.registerConverter(RecordFormat.class, expecting(null, RecordFormat::of))
			.registerConverter(Bytes.class, expecting(null, (value) -> Bytes.wrap(RecordFormat.unescaped(value))));
	}

	/**
	 * Returns a converter whose error message explains the valid values.
	 * @param valid description of the valid values; {@code null} if the exception already
	 * describes them
	 */
	private static <T> ITypeConverter<T> expecting(@Nullable String valid, ITypeConverter<T> converter) {
		return (value) -> {
			try {
				return converter.convert(value);
			}
			catch (IllegalArgumentException ex) {
				throw new TypeConversionException(
						(valid != null) ? "'" + value + "' is not " + valid : String.valueOf(ex.getMessage()));
			}
		};
	}

	private static Matcher match(Pattern pattern, String value) {
		Matcher matcher = pattern.matcher(value);
		if (!matcher.matches()) {
			throw new IllegalArgumentException();
		}
		return matcher;
	}

	static Duration duration(String value) {
		Matcher matcher = match(DURATION, value.toLowerCase(Locale.ROOT));
		Duration unit = UNITS.getOrDefault(matcher.group(2), Duration.ZERO);
		Duration duration = unit.multipliedBy(Long.parseLong(matcher.group(1)));
		if (duration.isZero()) {
			throw new IllegalArgumentException();
		}
		return duration;
	}

	static long size(String value) {
		Matcher matcher = match(SIZE, value.toLowerCase(Locale.ROOT));
		int shift = matcher.group(2).isEmpty() ? 0 : 10 * " kmgt".indexOf(matcher.group(2));
		long number = Long.parseLong(matcher.group(1));
		if (number > Long.MAX_VALUE >> shift) {
			throw new IllegalArgumentException();
		}
		return number << shift;
	}

	private static long offset(String value) {
		return switch (value.toLowerCase(Locale.ROOT)) {
			case "beginning", "earliest" -> 0L;
			case "end", "latest" -> Start.END;
			default -> Long.parseUnsignedLong(match(Pattern.compile("\\d{1,18}"), value).group());
		};
	}

	static TowerAddress tower(String value) {
		Matcher matcher = match(TOWER, value);
		int in = port(matcher.group(2), TowerAddress.DEFAULT_IN_PORT);
		return new TowerAddress(matcher.group(1), in, port(matcher.group(3), in + 1));
	}

	private static int port(@Nullable String text, int otherwise) {
		return (text != null) ? Integer.parseInt(text) : otherwise;
	}

	/** Timeout; its time is {@code null} for {@code never}. */
	record Timeout(@Nullable Duration time) {
	}

	/** Size in bytes. */
	record Size(long bytes) {
	}

	/** Offset at which to start. */
	record Start(long offset) {

		/** Starts with the first new record. */
		static final long END = -1;

	}

}
