package io.statestore.client;

import java.util.regex.Pattern;

import io.statestore.protocol.Bytes;

/**
 * The key of an entry: any bytes, at least one, most often a text.
 * <p>
 * The store takes keys of every length that fits into an MQTT packet; only keys of up to
 * 32,700 bytes can be observed (protocol section 2).
 *
 * @param bytes what the store knows the key by
 */
public record Key(Bytes bytes) implements Comparable<Key> {

	private static final Pattern PRINTABLE = Pattern.compile("[^\\p{C}\\p{Zl}\\p{Zp}]+");

	private static final int MAX_SHOWN = 100;

	/**
	 * A key of any bytes.
	 * @throws IllegalArgumentException if there are none
	 */
	public Key {
		Arguments.require(bytes != null, "'key' must not be null");
		Arguments.require(!bytes.isEmpty(),
				"'key' must not be empty: the state store has no key without bytes. Give it at least one character");
		// A key that came from a scan must not keep the whole page in memory.
		bytes = bytes.compact();
	}

	/**
	 * A key of the UTF-8 bytes of a text.
	 * @throws IllegalArgumentException if the text is empty or has half a surrogate pair,
	 * which UTF-8 cannot hold
	 */
	public static Key of(String text) {
		return new Key(Arguments.utf8("key", text));
	}

	/** A key of any bytes. */
	public static Key of(Bytes bytes) {
		return new Key(bytes);
	}

	/** A key of any bytes, which are copied. */
	public static Key of(byte[] bytes) {
		return new Key(Bytes.copyOf(Arguments.notNull("key", bytes)));
	}

	/** In the order of the unsigned bytes. */
	@Override
	public int compareTo(Key other) {
		return this.bytes.compareTo(other.bytes);
	}

	/**
	 * For messages, which must stay readable: in quotes, and no more than the beginning.
	 */
	String quoted() {
		String text = toString();
		if (text.length() <= MAX_SHOWN) {
			return "'" + text + "'";
		}
		int end = Character.isHighSurrogate(text.charAt(MAX_SHOWN - 1)) ? MAX_SHOWN - 1 : MAX_SHOWN;
		return "'" + text.substring(0, end) + "...' (" + this.bytes.length() + " bytes)";
	}

	/**
	 * The text of the key if it is UTF-8 without control characters, otherwise {@code 0x}
	 * and its hexadecimal digits. Meant for people; see {@link #bytes()} and
	 * {@link Bytes#toUtf8()} for programs.
	 */
	@Override
	public String toString() {
		String text = Utf8.decode(this.bytes);
		return (text != null && PRINTABLE.matcher(text).matches()) ? text : "0x" + this.bytes.toHex();
	}

}
