package io.statestore.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter for a number of at least 1. */
final class PositiveConverter implements ITypeConverter<Long> {

	@Override
	public Long convert(String value) {
		if (!value.matches("0*[1-9]\\d{0,17}")) {
			throw new TypeConversionException("'" + value + "' is not a number; use at least 1");
		}
		return Long.valueOf(value);
	}

}
