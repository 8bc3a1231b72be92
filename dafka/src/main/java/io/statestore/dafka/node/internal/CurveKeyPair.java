package io.statestore.dafka.node.internal;

import java.security.SecureRandom;

import io.statestore.dafka.Bytes;

/**
 * Key pair of a node. Immutable. Internal: not part of the API.
 */
final class CurveKeyPair {

	private static final SecureRandom random = new SecureRandom();

	private final Bytes publicKey;

	private final byte[] secretKey;

	private CurveKeyPair(Bytes publicKey, byte[] secretKey) {
		this.publicKey = publicKey;
		this.secretKey = secretKey;
	}

	/**
	 * Generates a key pair.
	 * @return a new key pair
	 */
	public static CurveKeyPair generate() {
		byte[] secretKey = new byte[Z85.KEY_BYTES];
		random.nextBytes(secretKey);
		return of(secretKey);
	}

	/** Returns the key pair of a secret key of 32 bytes. */
	static CurveKeyPair of(byte[] secretKey) {
		return new CurveKeyPair(Bytes.wrap(X25519.publicKey(secretKey)), secretKey);
	}

	/**
	 * Returns the public key.
	 * @return 32 bytes
	 */
	public Bytes publicKey() {
		return this.publicKey;
	}

	/**
	 * Returns the secret key.
	 * @return 32 bytes, which the caller must not change
	 */
	public byte[] secretKey() {
		return this.secretKey;
	}

	@Override
	public String toString() {
		return "CurveKeyPair[publicKey=" + Z85.encode(this.publicKey) + ']';
	}

}
