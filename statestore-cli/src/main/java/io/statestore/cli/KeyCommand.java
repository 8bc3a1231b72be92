package io.statestore.cli;

import io.statestore.client.Key;
import io.statestore.protocol.Bytes;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command for a single key. */
abstract class KeyCommand extends ResultCommand {

	@Parameters(index = "0", paramLabel = "<key>", description = "Key of the entry")
	private String text = "";

	@Option(names = "--hex-key", description = "Treat the key as hexadecimal, such as 00ff")
	private boolean hexadecimal;

	@Override
	void validate() {
		key();
	}

	/** Returns the key given on the command line. */
	final Key key() {
		return key(this.text, this.hexadecimal);
	}

	@Override
	final int run(Session session) throws Exception {
		return run(session, key());
	}

	/**
	 * Runs the command.
	 * @param session connects with its first call
	 * @param key key given on the command line
	 * @return the exit code
	 * @throws Exception if the command failed
	 */
	abstract int run(Session session, Key key) throws Exception;

	/**
	 * Parses a key.
	 * @param text the key; may begin with 0x if hexadecimal
	 * @param hexadecimal whether {@code text} is hexadecimal
	 * @throws CliException if {@code text} is empty or not hexadecimal as required
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
