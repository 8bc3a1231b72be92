package io.statestore.cli;

import java.io.IOException;

import io.statestore.protocol.Bytes;
import picocli.CommandLine.Option;

/** Option for the form of a value on the command line. */
final class ValueArgument {

	@Option(names = "--hex", description = "Treat the value as hexadecimal, such as 00ff")
	private boolean hexadecimal;

	/**
	 * Returns a value.
	 * @param text the value, or {@code -} for standard input, which is read unchanged,
	 * including a newline at the end
	 * @throws CliException if the input is empty or the value is not hexadecimal as
	 * required
	 */
	Bytes read(String text, Environment environment) throws IOException {
		if (!text.equals("-")) {
			return decode(Bytes.of(text));
		}
		byte[] input = environment.in().readAllBytes();
		CliException.require(input.length > 0,
				"Standard input is empty, which may be a mistake; to use an empty value, set it to ''");
		return decode(Bytes.wrap(input));
	}

	/** Decodes a value if it was given in hexadecimal. */
	Bytes decode(Bytes given) {
		try {
			return this.hexadecimal ? Bytes.ofHex(given.toUtf8().replaceAll("\\s", "")) : given;
		}
		catch (IllegalArgumentException ex) {
			throw CliException
				.usage("The value is not hexadecimal; with --hex, use an even number of the digits 0 to 9 and a to f");
		}
	}

}
