package io.statestore.dafka.node.internal;

import java.nio.ByteBuffer;
import java.util.regex.Pattern;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Text form of keys (ZeroMQ RFC 32): five characters per four bytes. Internal: not part
 * of the API.
 */
final class Z85 {

	/** Number of characters of a key. */
	static final int KEY_LENGTH = 40;

	private static final Pattern KEY = Pattern.compile("[0-9a-zA-Z.:+=^!/*?&<>()\\[\\]{}@%$#-]{40}");

	private static final String DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

	/** Weight of the first of five characters. */
	private static final long MAX_DIVISOR = 85L * 85 * 85 * 85;

	private Z85() {
	}

	/**
	 * Returns the text form of a key.
	 * @param key 32 bytes
	 * @return 40 characters
	 */
	static String encode(Bytes key) {
		return encode(key.unwrap());
	}

	static String encode(byte[] key) {
		StringBuilder text = new StringBuilder(KEY_LENGTH);
		ByteBuffer words = ByteBuffer.wrap(key);
		while (words.hasRemaining()) {
			long word = words.getInt() & 0xFFFFFFFFL;
			for (long divisor = MAX_DIVISOR; divisor > 0; divisor /= DIGITS.length()) {
				text.append(DIGITS.charAt((int) (word / divisor % DIGITS.length())));
			}
		}
		return text.toString();
	}

	/**
	 * Parses the text form of a key.
	 * @param text string to parse, of any length
	 * @return 32 bytes, or {@code null} if the text is not a key
	 */
	static byte @Nullable [] decode(String text) {
		if (!KEY.matcher(text).matches()) {
			return null;
		}
		ByteBuffer key = ByteBuffer.allocate(CurveBox.KEY);
		for (int i = 0; i < KEY_LENGTH; i += 5) {
			long word = 0;
			for (int j = i; j < i + 5; j++) {
				word = word * DIGITS.length() + DIGITS.indexOf(text.charAt(j));
			}
			key.putInt((int) word);
		}
		// Rejects groups of five characters whose value does not fit into four bytes.
		return encode(key.array()).equals(text) ? key.array() : null;
	}

}
