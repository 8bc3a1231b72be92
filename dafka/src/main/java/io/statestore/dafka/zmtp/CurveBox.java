package io.statestore.dafka.zmtp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

import io.statestore.dafka.curve.X25519;
import org.jspecify.annotations.Nullable;

/**
 * Authenticated encryption of CURVE (ZeroMQ RFC 26): the function {@code crypto_box} of
 * NaCl.
 */
final class CurveBox {

	/** Number of bytes of a key. */
	static final int KEY = 32;

	/** Number of bytes that encryption adds. */
	static final int OVERHEAD = 16;

	private static final int NONCE = 24;

	private static final SecureRandom random = new SecureRandom();

	private CurveBox() {
	}

	/** Returns random bytes. */
	static byte[] random(int count) {
		byte[] bytes = new byte[count];
		random.nextBytes(bytes);
		return bytes;
	}

	/**
	 * Returns the key that two parties share.
	 * @return the key, or {@code null} if the public key makes it predictable
	 */
	static byte @Nullable [] sharedKey(byte[] publicKey, byte[] secretKey) {
		byte[] point = X25519.agree(publicKey, secretKey);
		return (point != null) ? XSalsa20Poly1305.bytes(XSalsa20Poly1305.derive(point, new byte[NONCE])) : null;
	}

	/** Returns a nonce of a prefix and a counter. */
	static byte[] nonce(String prefix, long counter) {
		return ByteBuffer.allocate(NONCE)
			.put(prefix.getBytes(StandardCharsets.US_ASCII))
			.putLong(NONCE - Long.BYTES, counter)
			.array();
	}

	/** Returns a nonce of a prefix of eight characters and 16 bytes of an array. */
	static byte[] nonce(String prefix, byte[] source, int offset) {
		return ByteBuffer.allocate(NONCE)
			.put(prefix.getBytes(StandardCharsets.US_ASCII))
			.put(source, offset, NONCE - 8)
			.array();
	}

	/** Encrypts a text, and returns a box that is 16 bytes longer. */
	static byte[] seal(byte[] text, byte[] nonce, byte[] key) {
		byte[] box = new byte[OVERHEAD + text.length];
		System.arraycopy(text, 0, box, OVERHEAD, text.length);
		cipher(nonce, key).seal(counter(nonce), box, 0, box.length);
		return box;
	}

	/**
	 * Decrypts a box that is part of an array.
	 * @return the text, or {@code null} if another key or nonce was used
	 */
	static byte @Nullable [] open(byte[] source, int offset, int length, byte[] nonce, byte[] key) {
		byte[] box = Arrays.copyOfRange(source, offset, offset + length);
		boolean valid = cipher(nonce, key).open(counter(nonce), box, 0, length);
		return valid ? Arrays.copyOfRange(box, OVERHEAD, length) : null;
	}

	/** Returns the cipher for all nonces with the same 16 bytes at the beginning. */
	static XSalsa20Poly1305 cipher(byte[] nonce, byte[] key) {
		return new XSalsa20Poly1305(XSalsa20Poly1305.derive(key, nonce));
	}

	private static long counter(byte[] nonce) {
		return ByteBuffer.wrap(nonce).getLong(NONCE - Long.BYTES);
	}

}
