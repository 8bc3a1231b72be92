package io.statestore.broker.security;

import java.util.regex.Pattern;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * A rule's pattern for keys or client ids. Most patterns are a key, or a prefix with a
 * final {@code *}, and do not need an automaton. Thread-safe.
 *
 * @param text the only matching key, or the prefix of all matching keys. Empty for a
 * pattern with other wildcards
 * @param isPrefix whether longer keys also match
 * @param glob the pattern with other wildcards, {@code null} if there are none
 */
record KeyPattern(Bytes text, boolean isPrefix, @Nullable GlobPattern glob) {

	private static final char MALFORMED = '\uFFFD';

	/** Matches a pattern whose only wildcard is at its end. */
	private static final Pattern PREFIX = Pattern.compile("[^*?\\[" + MALFORMED + "]*\\*");

	/**
	 * Parses a pattern.
	 * @throws IllegalArgumentException if it is malformed or too long
	 */
	static KeyPattern of(String pattern) {
		if (pattern.isEmpty()) {
			throw new IllegalArgumentException("the pattern is empty. Write * for everything");
		}
		if (PREFIX.matcher(pattern).matches()) {
			return new KeyPattern(Bytes.of(pattern.substring(0, pattern.length() - 1)), true, null);
		}
		try {
			GlobPattern glob = GlobPattern.of(Bytes.of(pattern));
			Bytes literal = glob.literal();
			return (literal != null) ? new KeyPattern(literal, false, null) : new KeyPattern(Bytes.EMPTY, false, glob);
		}
		catch (ProtocolException ex) {
			throw new IllegalArgumentException("the key pattern '" + pattern + "' is malformed, or longer than "
					+ GlobPattern.MAX_LENGTH + " bytes. Close each [ with ], and write ranges such as [a-z]", ex);
		}
	}

	/**
	 * Returns a rule's pattern for a client.
	 * @return the pattern, or {@code null} if it cannot match any key
	 */
	static @Nullable KeyPattern of(Template template, Client client) {
		// In a pattern, a malformed character would match any malformed byte in a key.
		String pattern = template.expand(client,
				(value) -> (value.indexOf(MALFORMED) < 0) ? GlobPattern.escape(value) : null);
		if (pattern == null || Template.isTooLong(pattern)) {
			return null;
		}
		try {
			return of(pattern);
		}
		catch (IllegalArgumentException ex) {
			// The value of a placeholder is too long.
			return null;
		}
	}

	/**
	 * Returns whether a key equals the text or, for a prefix, begins with it. Must only
	 * be called for patterns without other wildcards.
	 * @param key the key to match
	 */
	boolean matchesText(Bytes key) {
		int length = this.text.length();
		return this.text.equals((this.isPrefix && key.length() > length) ? key.slice(0, length) : key);
	}

}
