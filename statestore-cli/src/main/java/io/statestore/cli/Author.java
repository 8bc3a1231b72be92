package io.statestore.cli;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Name of the person or script that runs a command. A store's history records the client
 * ID of each change. A command's client ID contains this name and a random suffix,
 * because two clients with the same ID would disconnect each other.
 *
 * @param name 1 to 64 letters, digits, dots, underscores, at signs, or hyphens
 */
record Author(String name) {

	private static final String NAME = "[\\p{L}\\p{N}._@-]{1,64}";

	private static final Pattern CLIENT_ID = Pattern.compile("cli-(" + NAME + ")-[0-9a-f]{8}");

	/**
	 * Creates an author.
	 * @throws CliException if the name has other characters or is too long
	 */
	Author {
		CliException.require(name.matches(NAME), "Invalid value for --as: '" + name
				+ "' is not a name; use 1 to 64 letters, digits, dots, underscores, '@', and hyphens");
	}

	/**
	 * Returns an author, replacing invalid characters in the name.
	 */
	static Author ofAny(String name) {
		String valid = name.isEmpty() ? "unknown" : name.replaceAll("[^\\p{L}\\p{N}._@-]", "_");
		return new Author(valid.substring(0, Math.min(64, valid.length())));
	}

	/**
	 * Returns the author in a command's client ID.
	 * @return the author; empty for another program's client ID
	 */
	static Optional<Author> in(String clientId) {
		Matcher matcher = CLIENT_ID.matcher(clientId);
		return matcher.matches() ? Optional.of(new Author(matcher.group(1))) : Optional.empty();
	}

	/** Returns a new client ID, such as {@code cli-alice-5e0c91fa}. */
	String newClientId() {
		return "cli-" + this.name + '-' + HexFormat.of().toHexDigits(new SecureRandom().nextInt());
	}

}
