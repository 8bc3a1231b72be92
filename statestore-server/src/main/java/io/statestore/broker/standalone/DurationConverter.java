package io.statestore.broker.standalone;

import java.time.Duration;

import io.statestore.protocol.DurationText;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter for a time with a unit, such as {@code 500ms}, {@code 2s}, or {@code 1m}. */
final class DurationConverter implements ITypeConverter<Duration> {

	@Override
	public Duration convert(String value) {
		try {
			return DurationText.parse(value);
		}
		catch (IllegalArgumentException ex) {
			throw new TypeConversionException(ex.getMessage());
		}
	}

}
