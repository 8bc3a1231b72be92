package io.statestore.dafka.node.internal;

import java.util.regex.Pattern;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Text form of keys (ZeroMQ RFC 32): five characters for four bytes. Internal: not part
 * of the API.
 */
final class Z85 {

	/** Number of characters of a key. */
	static final int KEY_LENGTH = 40;

	/** Number of bytes of a key. */
	static final int KEY_BYTES = 32;

	private static final Pattern KEY = Pattern.compile("[0-9a-zA-Z.:+=^!/*?&<>()\\[\\]{}@%$#-]{40}");

	private Z85() {
	}

	/**
	 * Returns the text form of a key.
	 * @param key the key
	 * @return 40 characters
	 */
	static String encode(Bytes key) {
		return encode(key.unwrap());
	}

	static String encode(byte[] key) {
		return zmq.util.Z85.encode(key, key.length);
	}

	/**
	 * Parses the text form of a key.
	 * @param text the text
	 * @return 32 bytes, or {@code null} if the text is not a key
	 */
	static byte @Nullable [] decode(String text) {
		if (!KEY.matcher(text).matches()) {
			return null;
		}
		byte[] key = zmq.util.Z85.decode(text);
		// Five characters may stand for more than four bytes can hold.
		return (key != null && encode(key).equals(text)) ? key : null;
	}

}
