package io.statestore.dafka.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.internal.Options;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters for the values of options. */
final class Converters {

	private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

	private static final Map<String, Duration> UNITS = Map.of("ms", Duration.ofMillis(1), "s", Duration.ofSeconds(1),
			"m", Duration.ofMinutes(1), "h", Duration.ofHours(1), "d", Duration.ofDays(1));

	private static final Pattern SIZE = Pattern.compile("(\\d{1,18})([kmgt]?)(i?b)?");

	/** A host, possibly in square brackets, and up to two ports. */
	private static final Pattern TOWER = Pattern.compile("(\\[[^]]+]|[^:\\[\\]]+)(?::(\\d{1,9}))?(?::(\\d{1,9}))?");

	private Converters() {
	}

	/**
	 * Returns a timeout that {@link OfTimeout} has converted, or {@code null} for never.
	 */
	static @Nullable Duration timeout(Duration value) {
		return value.isZero() ? null : value;
	}

	private static TypeConversionException wrong(String value, String expected) {
		return new TypeConversionException("'" + value + "' is not " + expected);
	}

	private static <T> T checked(String value, String expected, Supplier<T> read) {
		try {
			return read.get();
		}
		catch (IllegalArgumentException ex) {
			throw wrong(value, expected);
		}
	}

	/** Converter of a number and a unit, such as {@code 500ms} or {@code 7d}. */
	static final class OfDuration implements ITypeConverter<Duration> {

		@Override
		public Duration convert(String value) {
			Matcher matcher = DURATION.matcher(value.toLowerCase(Locale.ROOT));
			if (!matcher.matches() || Long.parseLong(matcher.group(1)) == 0) {
				throw wrong(value, "a time longer than 0; use a number with ms, s, m, h, or d, such as 500ms or 7d");
			}
			return UNITS.getOrDefault(matcher.group(2), Duration.ZERO).multipliedBy(Long.parseLong(matcher.group(1)));
		}

	}

	/**
	 * Converter of a size, with an optional unit (powers of 1024), such as {@code 10G}.
	 */
	static final class OfSize implements ITypeConverter<Long> {

		@Override
		public Long convert(String value) {
			Matcher matcher = SIZE.matcher(value.toLowerCase(Locale.ROOT));
			if (matcher.matches()) {
				int shift = matcher.group(2).isEmpty() ? 0 : 10 * " kmgt".indexOf(matcher.group(2));
				long number = Long.parseLong(matcher.group(1));
				if (number <= Long.MAX_VALUE >> shift) {
					return number << shift;
				}
			}
			throw wrong(value,
					"a size; use a number of bytes, or one with k, M, G, or T (powers of 1024), such as 10G");
		}

	}

	/** Converter of a time, or of {@code never}, which becomes {@link Duration#ZERO}. */
	static final class OfTimeout implements ITypeConverter<Duration> {

		@Override
		public Duration convert(String value) {
			return value.equalsIgnoreCase("never") ? Duration.ZERO : new OfDuration().convert(value);
		}

	}

	/** Converter of the offset at which to start. */
	static final class OfOffset implements ITypeConverter<Long> {

		/** Start with the first new record. */
		static final long END = -1;

		@Override
		public Long convert(String value) {
			return switch (value.toLowerCase(Locale.ROOT)) {
				case "beginning", "earliest" -> 0L;
				case "end", "latest" -> END;
				default -> {
					if (!value.matches("\\d{1,18}")) {
						throw wrong(value, "an offset; use beginning, end, or a number from 0");
					}
					yield Long.parseLong(value);
				}
			};
		}

	}

	/** Converter of a port, or of 0 for a free one. */
	static final class OfPort implements ITypeConverter<Integer> {

		@Override
		public Integer convert(String value) {
			return checked(value, "a port; use 1 to 65535, or 0 for a free one", () -> {
				int port = Integer.parseInt(value);
				Options.requirePort("port", port, 0);
				return port;
			});
		}

	}

	/** Converter of a host name or an IP address. */
	static final class OfHost implements ITypeConverter<String> {

		@Override
		public String convert(String value) {
			return checked(value, "a host; use its name or its address", () -> {
				Options.requireHost("host", value);
				return value;
			});
		}

	}

	/** Converter of the name of a topic. */
	static final class OfTopic implements ITypeConverter<String> {

		@Override
		public String convert(String value) {
			return checked(value, "a topic; use 1 to 255 bytes", () -> {
				Options.topic(value);
				return value;
			});
		}

	}

	/** Converter of {@code host}, {@code host:port}, or {@code host:port:pub-port}. */
	static final class OfTower implements ITypeConverter<TowerAddress> {

		private static final String EXPECTED = "a tower; use host, host:port, or host:port:pub-port";

		@Override
		public TowerAddress convert(String value) {
			Matcher matcher = TOWER.matcher(value);
			if (!matcher.matches()) {
				throw wrong(value, EXPECTED);
			}
			return checked(value, EXPECTED, () -> {
				int in = port(matcher.group(2), TowerAddress.DEFAULT_IN_PORT);
				return new TowerAddress(matcher.group(1), in, port(matcher.group(3), in + 1));
			});
		}

		private static int port(@Nullable String text, int otherwise) {
			return (text != null) ? Integer.parseInt(text) : otherwise;
		}

	}

}
