package io.statestore.client;

import java.util.regex.Pattern;

import io.statestore.protocol.Bytes;

/**
 * Key of an entry: at least one byte, usually a string's UTF-8 bytes.
 * <p>
 * The store accepts keys of any length that fits in an MQTT packet. Only keys of at most
 * 32,700 bytes can be watched (protocol section 2).
 *
 * @param bytes the bytes of the key, at least one
 */
public record Key(Bytes bytes) implements Comparable<Key> {

	private static final Pattern PRINTABLE = Pattern.compile("[^\\p{C}\\p{Zl}\\p{Zp}]+");

	/** Maximum number of characters shown in messages. */
	private static final int MAX_SHOWN = 100;

	/**
	 * Creates a key.
	 * @throws IllegalArgumentException if there are no bytes
	 */
	public Key {
		Arguments.require(bytes != null, "'key' must not be null");
		Arguments.require(!bytes.isEmpty(), "'key' must not be empty. Pass at least one character");
		// A key found by a scan must not keep its entire page in memory.
		bytes = bytes.compact();
	}

	/**
	 * Returns the key with a string's UTF-8 bytes.
	 * @param text the string, not empty
	 * @return the key
	 * @throws IllegalArgumentException if the string is empty or has an unpaired
	 * surrogate, which UTF-8 cannot encode
	 */
	public static Key of(String text) {
		return new Key(Arguments.utf8("key", text));
	}

	/**
	 * Returns the key with the given bytes.
	 * @param bytes the bytes, at least one
	 * @return the key
	 * @throws IllegalArgumentException if there are no bytes
	 */
	public static Key of(Bytes bytes) {
		return new Key(bytes);
	}

	/**
	 * Returns the key with a copy of the given bytes.
	 * @param bytes the bytes, at least one
	 * @return the key
	 * @throws IllegalArgumentException if there are no bytes
	 */
	public static Key of(byte[] bytes) {
		return new Key(Bytes.copyOf(Arguments.notNull("key", bytes)));
	}

	/** Compares the bytes lexicographically, as unsigned numbers. */
	@Override
	public int compareTo(Key other) {
		return this.bytes.compareTo(other.bytes);
	}

	/**
	 * Returns the key in quotes for messages, shortened if it is long.
	 * @return the result of {@link #toString()}, quoted and possibly shortened
	 */
	public String quoted() {
		String text = toString();
		if (text.length() <= MAX_SHOWN) {
			return "'" + text + "'";
		}
		int end = Character.isHighSurrogate(text.charAt(MAX_SHOWN - 1)) ? MAX_SHOWN - 1 : MAX_SHOWN;
		return "'" + text.substring(0, end) + "...' (" + this.bytes.length() + " bytes)";
	}

	/**
	 * Returns the key as a string if it is UTF-8 without control characters, otherwise
	 * {@code 0x} and the bytes in hexadecimal. For logs and messages only; programs use
	 * {@link #bytes()} and {@link Bytes#toUtf8()}.
	 */
	@Override
	public String toString() {
		String text = Utf8.decode(this.bytes);
		return (text != null && PRINTABLE.matcher(text).matches()) ? text : "0x" + this.bytes.toHex();
	}

}
