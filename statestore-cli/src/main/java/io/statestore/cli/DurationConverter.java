package io.statestore.cli;

import java.time.Duration;

import io.statestore.protocol.DurationText;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter for a time longer than 0 with a unit, such as {@code 500ms}. */
final class DurationConverter implements ITypeConverter<Duration> {

	@Override
	public Duration convert(String value) {
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

}
