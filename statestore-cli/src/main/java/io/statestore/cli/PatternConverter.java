package io.statestore.cli;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.ProtocolException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter for a pattern of keys, which a server would refuse without a reason. */
final class PatternConverter implements ITypeConverter<String> {

	@Override
	public String convert(String value) {
		try {
			GlobPattern.of(Bytes.of(value));
			return value;
		}
		catch (ProtocolException ex) {
			throw new TypeConversionException("'" + value
					+ "' is not a pattern; close each [ with ], write ranges in ascending order, such as [a-z], and "
					+ "use at most " + GlobPattern.MAX_LENGTH + " bytes. [[] stands for the character [");
		}
	}

}
