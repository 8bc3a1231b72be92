package io.statestore.client;

import java.util.regex.Pattern;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;

/** Prefix that a template adds to its keys in the store. */
record KeyPrefix(String text, Bytes bytes) {

	static final KeyPrefix NONE = new KeyPrefix("", Bytes.EMPTY);

	private static final int MAX_LENGTH = 256;

	/** Control characters, line separators, unpaired surrogates, and wildcards. */
	private static final Pattern INVALID = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}*?\\[]");

	/**
	 * Creates a prefix from a string, which may be empty.
	 * @throws InvalidOptionException if the string is blank but not empty, too long, or
	 * contains a wildcard or an unprintable character
	 */
	static KeyPrefix of(String text) {
		if (Arguments.notNull("keyPrefix", text).isEmpty()) {
			return NONE;
		}
		if (text.isBlank() || text.length() > MAX_LENGTH || INVALID.matcher(text).find()) {
			throw new InvalidOptionException("keyPrefix", text,
					"must be empty or have up to " + MAX_LENGTH + " printable characters, without *, ? and [",
					"Use a prefix such as 'line-1/'");
		}
		return new KeyPrefix(text, Arguments.utf8("keyPrefix", text));
	}

	boolean isEmpty() {
		return this.bytes.isEmpty();
	}

	Key stored(Key key) {
		Arguments.notNull("key", key);
		if (isEmpty()) {
			return key;
		}
		byte[] stored = new byte[this.bytes.length() + key.bytes().length()];
		this.bytes.copyTo(stored, 0);
		key.bytes().copyTo(stored, this.bytes.length());
		return new Key(Bytes.wrap(stored));
	}

	/**
	 * Returns the template's key for a stored key, or {@code null} if the stored key has
	 * another prefix or consists only of the prefix.
	 */
	@Nullable Key local(Bytes stored) {
		int length = this.bytes.length();
		if (stored.length() <= length || !stored.slice(0, length).equals(this.bytes)) {
			return null;
		}
		return new Key(stored.slice(length, stored.length()));
	}

}
