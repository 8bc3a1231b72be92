package io.statestore.cli;

import java.time.Duration;

import io.statestore.protocol.DurationText;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter for a time longer than 0 with a unit, such as {@code 500ms}. */
final class DurationConverter implements ITypeConverter<Duration> {

	@Override
	public Duration convert(String value) {
		Duration time = DurationText.parse(value);
		if (time.isZero()) {
			throw new TypeConversionException("'" + value + "' is not a time longer than 0");
		}
		return time;
	}

}
