package io.statestore.dafka.zmtp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

import com.neilalexander.jnacl.crypto.curve25519xsalsa20poly1305;
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

	/** Number of zeros that NaCl requires before a plaintext. */
	static final int ZEROS = 32;

	/** Number of zeros that NaCl requires before a ciphertext. */
	static final int BOX_ZEROS = 16;

	private static final int NONCE = 24;

	private static final SecureRandom random = new SecureRandom();

	/** Result of the key exchange with each public key that makes it predictable. */
	private static final byte[] PREDICTABLE = exchange(new byte[KEY], new byte[KEY]);

	private CurveBox() {
	}

	/** Returns random bytes. */
	static byte[] random(int count) {
		byte[] bytes = new byte[count];
		random.nextBytes(bytes);
		return bytes;
	}

	/** Returns the public key of a secret key. */
	static byte[] publicKey(byte[] secretKey) {
		byte[] publicKey = new byte[KEY];
		curve25519xsalsa20poly1305.crypto_box_getpublickey(publicKey, secretKey);
		return publicKey;
	}

	/**
	 * Returns the key that two parties share.
	 * @return the key, or {@code null} if the public key makes it predictable
	 */
	static byte @Nullable [] sharedKey(byte[] publicKey, byte[] secretKey) {
		byte[] key = exchange(publicKey, secretKey);
		return Arrays.equals(key, PREDICTABLE) ? null : key;
	}

	private static byte[] exchange(byte[] publicKey, byte[] secretKey) {
		byte[] key = new byte[KEY];
		curve25519xsalsa20poly1305.crypto_box_beforenm(key, publicKey, secretKey);
		return key;
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
		byte[] padded = new byte[ZEROS + text.length];
		System.arraycopy(text, 0, padded, ZEROS, text.length);
		return Arrays.copyOfRange(sealPadded(padded, nonce, key), BOX_ZEROS, padded.length);
	}

	/**
	 * Encrypts a text that begins with 32 zeros.
	 * @return the box after 16 zeros
	 */
	static byte[] sealPadded(byte[] padded, byte[] nonce, byte[] key) {
		byte[] box = new byte[padded.length];
		curve25519xsalsa20poly1305.crypto_box_afternm(box, padded, padded.length, nonce, key);
		return box;
	}

	/**
	 * Decrypts a box that is part of an array.
	 * @return the text, or {@code null} if another key or nonce was used
	 */
	static byte @Nullable [] open(byte[] source, int offset, int length, byte[] nonce, byte[] key) {
		byte[] padded = new byte[BOX_ZEROS + length];
		System.arraycopy(source, offset, padded, BOX_ZEROS, length);
		byte[] text = openPadded(padded, nonce, key);
		return (text != null) ? Arrays.copyOfRange(text, ZEROS, text.length) : null;
	}

	/**
	 * Decrypts a box that begins with 16 zeros.
	 * @return the text after 32 zeros, or {@code null} if another key or nonce was used
	 */
	static byte @Nullable [] openPadded(byte[] padded, byte[] nonce, byte[] key) {
		if (padded.length < ZEROS) {
			return null;
		}
		byte[] text = new byte[padded.length];
		int result = curve25519xsalsa20poly1305.crypto_box_open_afternm(text, padded, padded.length, nonce, key);
		return (result == 0) ? text : null;
	}

}
