package io.statestore.dafka.node.internal;

import java.util.Arrays;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Text form of keys (ZeroMQ RFC 32): five characters for four bytes. Internal: not part
 * of the API.
 */
final class Z85 {

	/** Number of characters of a key. */
	public static final int KEY_LENGTH = 40;

	/** Number of bytes of a key. */
	static final int KEY_BYTES = 32;

	private static final String ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			+ ".-:+=^!/*?&<>()[]{}@%$#";

	private static final int[] VALUES = values();

	private static final int BASE = 85;

	private Z85() {
	}

	private static int[] values() {
		int[] values = new int[128];
		Arrays.fill(values, -1);
		for (int i = 0; i < ALPHABET.length(); i++) {
			values[ALPHABET.charAt(i)] = i;
		}
		return values;
	}

	/**
	 * Returns the text form of a key.
	 * @param key the key
	 * @return 40 characters
	 */
	public static String encode(Bytes key) {
		return encode(key.unwrap());
	}

	static String encode(byte[] key) {
		StringBuilder text = new StringBuilder(KEY_LENGTH);
		for (int i = 0; i < key.length; i += 4) {
			long group = 0;
			for (int j = 0; j < 4; j++) {
				group = group << 8 | key[i + j] & 0xFF;
			}
			for (long divisor = BASE * BASE * BASE * BASE; divisor > 0; divisor /= BASE) {
				text.append(ALPHABET.charAt((int) (group / divisor % BASE)));
			}
		}
		return text.toString();
	}

	/**
	 * Parses the text form of a key.
	 * @param text the text
	 * @return 32 bytes, or {@code null} if the text is not a key
	 */
	public static byte @Nullable [] decode(String text) {
		if (text.length() != KEY_LENGTH) {
			return null;
		}
		byte[] key = new byte[KEY_BYTES];
		for (int i = 0; i < KEY_BYTES / 4; i++) {
			long group = 0;
			for (int j = 0; j < 5; j++) {
				char c = text.charAt(5 * i + j);
				if (c >= VALUES.length || VALUES[c] < 0) {
					return null;
				}
				group = group * BASE + VALUES[c];
			}
			if (group > 0xFFFF_FFFFL) {
				return null;
			}
			for (int j = 0; j < 4; j++) {
				key[4 * i + j] = (byte) (group >> 8 * (3 - j));
			}
		}
		return key;
	}

}
