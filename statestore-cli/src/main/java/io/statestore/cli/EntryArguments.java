package io.statestore.cli;

import java.io.IOException;
import java.nio.file.Path;

import io.statestore.client.Key;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Arguments with a key and a value, which can also come from a file or from standard
 * input.
 */
final class EntryArguments {

	@Mixin
	private final KeyArgument key = new KeyArgument();

	@Parameters(index = "1", arity = "0..1", paramLabel = "<value>",
			description = "The value, or - to read it from standard input (default: -)")
	private @Nullable String text;

	@Option(names = { "-f", "--file" }, paramLabel = "<file>", description = "Read the value from a file")
	private @Nullable Path file;

	@Option(names = "--hex", description = "The value is given in hexadecimal, such as 00ff")
	private boolean hexadecimal;

	/**
	 * Returns the key.
	 * @throws CliException if it is empty or not hexadecimal
	 */
	Key key() {
		return this.key.key();
	}

	/**
	 * Checks the arguments without reading input.
	 * @throws CliException if they contradict each other
	 */
	void validate() {
		key();
		if (this.text != null && this.file != null) {
			throw CliException.usage("<value> and --file exclude each other; omit one of them");
		}
	}

	/**
	 * Reads the value. The bytes of files and of standard input are not changed, which
	 * includes a newline at their end.
	 * @param environment environment with the standard input
	 * @throws CliException if the value is not readable
	 */
	Bytes readValue(Environment environment) throws IOException {
		validate();
		byte[] bytes = bytes(environment);
		if (!this.hexadecimal) {
			return Bytes.wrap(bytes);
		}
		try {
			return Bytes.ofHex(Bytes.wrap(bytes).toUtf8().replaceAll("\\s", ""));
		}
		catch (IllegalArgumentException ex) {
			throw CliException
				.usage("The value is not hexadecimal; with --hex, use an even number of the digits 0 to 9 and a to f");
		}
	}

	private byte[] bytes(Environment environment) throws IOException {
		if (this.file != null) {
			return Settings.read("--file", this.file);
		}
		if (this.text != null && !this.text.equals("-")) {
			return Bytes.of(this.text).toArray();
		}
		byte[] input = environment.in().readAllBytes();
		if (input.length == 0) {
			throw CliException
				.usage("Standard input is empty, which may be a mistake; to use an empty value, set <value> to ''");
		}
		return input;
	}

}
