package io.statestore.dafka.node.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;

import org.bouncycastle.crypto.engines.Salsa20Engine;
import org.bouncycastle.crypto.engines.XSalsa20Engine;
import org.bouncycastle.crypto.macs.Poly1305;
import org.bouncycastle.crypto.params.KeyParameter;
import org.bouncycastle.crypto.params.ParametersWithIV;
import org.bouncycastle.math.ec.rfc7748.X25519;
import org.jspecify.annotations.Nullable;

/**
 * Authenticated encryption for CURVE (ZeroMQ RFC 26): NaCl's {@code crypto_box} function,
 * using Bouncy Castle's ciphers.
 */
final class CurveBox {

	/** Length of a key, in bytes. */
	static final int KEY = 32;

	/** Number of bytes that encryption adds. */
	static final int OVERHEAD = 16;

	private static final int NONCE = 24;

	private static final int ROUNDS = 20;

	/** Indexes of the words in a Salsa20 block that form the result of HSalsa20. */
	private static final int[] DERIVED_WORDS = { 0, 5, 10, 15, 6, 7, 8, 9 };

	private static final SecureRandom random = new SecureRandom();

	private CurveBox() {
	}

	/** Returns cryptographically secure random bytes. */
	static byte[] random(int count) {
		byte[] bytes = new byte[count];
		random.nextBytes(bytes);
		return bytes;
	}

	/**
	 * Returns the public key that belongs to a secret key.
	 * @param secretKey 32 bytes
	 * @return 32 bytes
	 */
	static byte[] publicKey(byte[] secretKey) {
		byte[] publicKey = new byte[KEY];
		X25519.scalarMultBase(secretKey, 0, publicKey, 0);
		return publicKey;
	}

	/**
	 * Returns the key shared by the owners of two keys.
	 * @param publicKey public key of one owner, 32 bytes
	 * @param secretKey secret key of the other owner, 32 bytes
	 * @return the key, or {@code null} if the public key makes it predictable
	 */
	static byte @Nullable [] sharedKey(byte[] publicKey, byte[] secretKey) {
		byte[] point = new byte[KEY];
		return X25519.calculateAgreement(secretKey, 0, publicKey, 0, point, 0) ? derive(point) : null;
	}

	/**
	 * Derives a key from the result of a key agreement, using HSalsa20 with a zero nonce.
	 * Bouncy Castle offers HSalsa20 only as part of XSalsa20.
	 */
	private static byte[] derive(byte[] point) {
		int[] input = new int[16];
		IntBuffer constants = words("expand 32-byte k".getBytes(StandardCharsets.US_ASCII));
		for (int i = 0; i < input.length; i += 5) {
			input[i] = constants.get();
		}
		words(point).get(input, 1, 4).get(input, 11, 4);
		int[] output = new int[input.length];
		Salsa20Engine.salsaCore(ROUNDS, input, output);
		ByteBuffer key = ByteBuffer.allocate(KEY).order(ByteOrder.LITTLE_ENDIAN);
		for (int word : DERIVED_WORDS) {
			key.putInt(output[word] - input[word]);
		}
		return key.array();
	}

	private static IntBuffer words(byte[] bytes) {
		return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
	}

	/** Returns a nonce that consists of a prefix and a counter. */
	static byte[] nonce(String prefix, long counter) {
		return ByteBuffer.allocate(NONCE)
			.put(prefix.getBytes(StandardCharsets.US_ASCII))
			.putLong(NONCE - Long.BYTES, counter)
			.array();
	}

	/**
	 * Returns a nonce that consists of an eight-character prefix and 16 bytes of an
	 * array.
	 */
	static byte[] nonce(String prefix, byte[] source, int offset) {
		return ByteBuffer.allocate(NONCE)
			.put(prefix.getBytes(StandardCharsets.US_ASCII))
			.put(source, offset, NONCE - 8)
			.array();
	}

	/** Encrypts a plaintext and returns a box that is 16 bytes longer. */
	static byte[] seal(byte[] text, byte[] nonce, byte[] key) {
		byte[] box = new byte[OVERHEAD + text.length];
		System.arraycopy(text, 0, box, OVERHEAD, text.length);
		seal(nonce, key, box, 0, box.length);
		return box;
	}

	/**
	 * Encrypts a plaintext in place and writes the authenticator in front of it.
	 * @param data array with 16 free bytes followed by the plaintext
	 * @param offset offset of the free bytes
	 * @param length number of bytes, including the free bytes
	 */
	static void seal(byte[] nonce, byte[] key, byte[] data, int offset, int length) {
		XSalsa20Engine cipher = new XSalsa20Engine();
		Poly1305 authenticator = begin(cipher, nonce, key);
		cipher.processBytes(data, offset + OVERHEAD, length - OVERHEAD, data, offset + OVERHEAD);
		authenticator.update(data, offset + OVERHEAD, length - OVERHEAD);
		authenticator.doFinal(data, offset);
	}

	/**
	 * Decrypts a box that is part of an array.
	 * @return the plaintext, or {@code null} if the key, the nonce, or the box is wrong
	 */
	static byte @Nullable [] open(byte[] source, int offset, int length, byte[] nonce, byte[] key) {
		byte[] box = Arrays.copyOfRange(source, offset, offset + length);
		return open(nonce, key, box, 0, length) ? Arrays.copyOfRange(box, OVERHEAD, length) : null;
	}

	/**
	 * Decrypts a ciphertext in place.
	 * @param data array with the authenticator followed by the ciphertext
	 * @param offset offset of the authenticator
	 * @param length number of bytes, including the authenticator
	 * @return whether the authenticator is correct; if not, the ciphertext is unchanged
	 */
	static boolean open(byte[] nonce, byte[] key, byte[] data, int offset, int length) {
		if (length < OVERHEAD) {
			return false;
		}
		XSalsa20Engine cipher = new XSalsa20Engine();
		Poly1305 authenticator = begin(cipher, nonce, key);
		authenticator.update(data, offset + OVERHEAD, length - OVERHEAD);
		byte[] expected = new byte[OVERHEAD];
		authenticator.doFinal(expected, 0);
		if (!MessageDigest.isEqual(expected, Arrays.copyOfRange(data, offset, offset + OVERHEAD))) {
			return false;
		}
		cipher.processBytes(data, offset + OVERHEAD, length - OVERHEAD, data, offset + OVERHEAD);
		return true;
	}

	/**
	 * Prepares a cipher. Returns its authenticator, whose key is the cipher's first
	 * bytes.
	 */
	private static Poly1305 begin(XSalsa20Engine cipher, byte[] nonce, byte[] key) {
		cipher.init(true, new ParametersWithIV(new KeyParameter(key), nonce));
		byte[] first = new byte[KEY];
		cipher.processBytes(first, 0, KEY, first, 0);
		Poly1305 authenticator = new Poly1305();
		authenticator.init(new KeyParameter(first));
		return authenticator;
	}

}
