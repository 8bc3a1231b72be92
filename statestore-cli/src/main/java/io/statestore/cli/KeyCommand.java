package io.statestore.cli;

import io.statestore.client.Key;
import io.statestore.protocol.Bytes;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command about one key. */
abstract class KeyCommand extends ResultCommand {

	@Parameters(index = "0", paramLabel = "<key>", description = "Key of the entry")
	private String text = "";

	@Option(names = "--hex-key", description = "The key is given in hexadecimal, such as 00ff")
	private boolean hexadecimal;

	@Override
	void validate() {
		key();
	}

	/** Returns the key. */
	final Key key() {
		return key(this.text, this.hexadecimal);
	}

	@Override
	final int run(Session session) throws Exception {
		return run(session, key());
	}

	/**
	 * Runs the command.
	 * @param session connects with the first call
	 * @param key the key
	 * @return the exit code
	 * @throws Exception if the command failed
	 */
	abstract int run(Session session, Key key) throws Exception;

	/**
	 * Returns the key of a text.
	 * @param text the text, which may begin with 0x if it is hexadecimal
	 * @param hexadecimal whether the text has the bytes in hexadecimal
	 * @throws CliException if it is empty or not hexadecimal
	 */
	static Key key(String text, boolean hexadecimal) {
		String digits = text.startsWith("0x") ? text.substring(2) : text;
		try {
			return hexadecimal ? Key.of(Bytes.ofHex(digits)) : Key.of(text);
		}
		catch (IllegalArgumentException ex) {
			throw CliException.usage(hexadecimal
					? "Invalid <key> '" + text + "'; with --hex-key, use an even number of hexadecimal digits"
					: "Invalid <key>: " + ex.getMessage());
		}
	}

}
