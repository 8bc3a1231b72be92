package io.statestore.broker.security;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The format of password files: one line {@code name:hash} per user. Empty lines and
 * lines that begin with {@code #} are ignored.
 * <p>
 * Internal: not part of the API.
 */
public final class UserFile {

	/** Maximum length of a user name, in characters. */
	public static final int MAX_NAME_LENGTH = 256;

	private UserFile() {
	}

	/**
	 * Parses a file.
	 * @param content the file's bytes
	 * @return the hashes by user name
	 * @throws IllegalArgumentException if the file is invalid. The message names the line
	 */
	public static Map<String, PasswordHash> parse(byte[] content) {
		Map<String, PasswordHash> users = new LinkedHashMap<>();
		int number = 0;
		for (String line : lines(content)) {
			number++;
			if (!isUser(line)) {
				continue;
			}
			try {
				String name = name(line);
				requireName(name);
				if (users.put(name, PasswordHash.parse(line.substring(name.length() + 1).strip())) != null) {
					throw new IllegalArgumentException("the user '" + name + "' is listed twice. Delete one line");
				}
			}
			catch (IllegalArgumentException ex) {
				throw new IllegalArgumentException("line " + number + ": " + ex.getMessage(), ex);
			}
		}
		return users;
	}

	/**
	 * Returns the lines of a file.
	 * @param content the file's bytes
	 * @return the lines without line breaks
	 * @throws IllegalArgumentException if the file is not UTF-8 text
	 */
	public static List<String> lines(byte[] content) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString().lines().toList();
		}
		catch (CharacterCodingException ex) {
			throw new IllegalArgumentException("the file is not text in UTF-8. Create it with the passwd command", ex);
		}
	}

	/**
	 * Returns whether a line describes a user.
	 * @param line a line of the file
	 * @return {@code false} for empty lines and comments
	 */
	public static boolean isUser(String line) {
		return !line.isBlank() && !line.startsWith("#");
	}

	/**
	 * Returns the name in a line that describes a user.
	 * @param line a line that describes a user
	 * @return the user name
	 * @throws IllegalArgumentException if the line has no colon
	 */
	public static String name(String line) {
		int colon = line.indexOf(':');
		if (colon < 0) {
			throw new IllegalArgumentException("no ':' after the user name. Add users with the passwd command");
		}
		return line.substring(0, colon);
	}

	/**
	 * Requires a valid user name.
	 * @param name the name to check
	 * @throws IllegalArgumentException if it is invalid
	 */
	public static void requireName(String name) {
		if (!PrincipalNames.isValid(name) || name.indexOf(':') >= 0 || name.startsWith("#") || name.isBlank()) {
			throw new IllegalArgumentException("a user name must have 1 to " + MAX_NAME_LENGTH
					+ " characters, no colon and no control characters, and must not begin with '#'");
		}
	}

}
