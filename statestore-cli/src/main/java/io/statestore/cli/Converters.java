package io.statestore.cli;

import java.time.Duration;
import java.util.Locale;

import io.statestore.client.FencingToken;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.DurationText;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters for options and arguments. */
final class Converters {

	private Converters() {
	}

	/** Converts a positive duration with a unit, such as {@code 500ms}. */
	static Duration duration(String value) {
		try {
			Duration time = DurationText.parse(value);
			if (!time.isZero()) {
				return time;
			}
		}
		catch (IllegalArgumentException ex) {
			throw new TypeConversionException(ex.getMessage());
		}
		throw invalid(value, "a time longer than 0");
	}

	/** Converts a number of at least 1. */
	static long positive(String value) {
		if (!value.matches("0*[1-9]\\d{0,17}")) {
			throw invalid(value, "a number; use at least 1");
		}
		return Long.parseLong(value);
	}

	/** Converts when to use colors. */
	static Ansi colors(String value) {
		return switch (value.toLowerCase(Locale.ROOT)) {
			case "auto" -> Ansi.AUTO;
			case "always" -> Ansi.ON;
			case "never" -> Ansi.OFF;
			default -> throw invalid(value, "one of always, never, and auto");
		};
	}

	/** Converts a fencing token, which is a version. */
	static FencingToken token(String value) {
		try {
			return new FencingToken(Version.parse(value));
		}
		catch (ProtocolException ex) {
			throw invalid(value, "a version; use the token of the lock, such as 1795404199868:0:node");
		}
	}

	private static TypeConversionException invalid(String value, String expected) {
		return new TypeConversionException("'" + value + "' is not " + expected);
	}

	/**
	 * Converter for a key pattern. A server would refuse an invalid pattern without a
	 * reason.
	 */
	static final class Pattern implements ITypeConverter<String> {

		@Override
		public String convert(String value) {
			try {
				GlobPattern.of(Bytes.of(value));
				return value;
			}
			catch (ProtocolException ex) {
				throw invalid(value,
						"a pattern; close each [ with ], write ranges in ascending order, such as [a-z], and use at most "
								+ GlobPattern.MAX_LENGTH + " bytes. [[] stands for the character [");
			}
		}

	}

}
