package io.statestore.cli;

import java.time.Duration;

import io.statestore.client.FencingToken;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.DurationText;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
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
		throw new TypeConversionException("'" + value + "' is not a time longer than 0");
	}

	/** Converter for a number of at least 1. */
	static final class Positive implements ITypeConverter<Long> {

		@Override
		public Long convert(String value) {
			if (!value.matches("0*[1-9]\\d{0,17}")) {
				throw new TypeConversionException("'" + value + "' is not a number; use at least 1");
			}
			return Long.valueOf(value);
		}

	}

	/**
	 * Checks a key pattern.
	 * @throws CliException if the pattern is malformed or not UTF-8
	 */
	static void requirePattern(Bytes pattern) {
		try {
			CliException.require(Bytes.of(pattern.toUtf8()).equals(pattern), "Invalid <key>: a pattern must be UTF-8");
			new Pattern().convert(pattern.toUtf8());
		}
		catch (TypeConversionException ex) {
			throw CliException.usage("Invalid <key>: " + ex.getMessage());
		}
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
				throw new TypeConversionException("'" + value
						+ "' is not a pattern; close each [ with ], write ranges in ascending order, such as [a-z], "
						+ "and use at most " + GlobPattern.MAX_LENGTH + " bytes. [[] stands for the character [");
			}
		}

	}

	/** Converter for a fencing token, which is a version. */
	static final class Token implements ITypeConverter<FencingToken> {

		@Override
		public FencingToken convert(String value) {
			try {
				return new FencingToken(Version.parse(value));
			}
			catch (ProtocolException ex) {
				throw new TypeConversionException(
						"'" + value + "' is not a version; use the token of the lock, such as 1795404199868:0:node");
			}
		}

	}

}
