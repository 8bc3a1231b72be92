package io.statestore.cli;

import io.statestore.client.Key;
import io.statestore.protocol.Bytes;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Argument with a key. */
final class KeyArgument {

	@Parameters(index = "0", paramLabel = "<key>", description = "Key of the entry")
	private String text = "";

	@Option(names = "--hex-key", description = "The key is given in hexadecimal, such as 00ff")
	private boolean hexadecimal;

	/**
	 * Returns the key.
	 * @throws CliException if it is empty or not hexadecimal
	 */
	Key key() {
		String digits = this.text.startsWith("0x") ? this.text.substring(2) : this.text;
		try {
			return this.hexadecimal ? Key.of(Bytes.ofHex(digits)) : Key.of(this.text);
		}
		catch (IllegalArgumentException ex) {
			throw CliException.usage(this.hexadecimal
					? "Invalid <key> '" + this.text + "'; with --hex-key, use an even number of hexadecimal digits"
					: "Invalid <key>: " + ex.getMessage());
		}
	}

}
