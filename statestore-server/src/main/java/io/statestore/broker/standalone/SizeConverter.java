package io.statestore.broker.standalone;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Converter for a size in bytes, or with a unit as in {@code -Xmx64m} or {@code 64MB}.
 */
final class SizeConverter implements ITypeConverter<Long> {

	private static final Pattern SIZE = Pattern.compile("(-?\\d{1,18})([KMG]?)B?");

	private static final int UNIT_BITS = 10;

	@Override
	public Long convert(String value) {
		Matcher size = SIZE.matcher(value.toUpperCase(Locale.ROOT));
		if (size.matches()) {
			long number = Long.parseLong(size.group(1));
			int shift = UNIT_BITS * (" KMG".indexOf(size.group(2).isEmpty() ? " " : size.group(2)));
			if (number << shift >> shift == number) {
				return number << shift;
			}
		}
		throw new TypeConversionException(
				"'" + value + "' is not a size; use a number of bytes, or one with a unit such as 64K, 64M, or 1G");
	}

}
