package io.statestore.dafka.node.internal;

import org.jspecify.annotations.Nullable;

/**
 * Key agreement X25519 (RFC 7748), with the implementation of Bouncy Castle.
 */
final class X25519 {

	private static final int BYTES = 32;

	private X25519() {
	}

	/**
	 * Returns the public key of a secret key.
	 * @param secretKey 32 bytes
	 * @return 32 bytes
	 */
	public static byte[] publicKey(byte[] secretKey) {
		byte[] publicKey = new byte[BYTES];
		org.bouncycastle.math.ec.rfc7748.X25519.scalarMultBase(secretKey, 0, publicKey, 0);
		return publicKey;
	}

	/**
	 * Returns the secret that the owners of two keys share.
	 * @param publicKey public key of one owner, 32 bytes
	 * @param secretKey secret key of the other owner, 32 bytes
	 * @return 32 bytes, or {@code null} if the public key makes the secret predictable
	 */
	public static byte @Nullable [] agree(byte[] publicKey, byte[] secretKey) {
		byte[] secret = new byte[BYTES];
		boolean valid = org.bouncycastle.math.ec.rfc7748.X25519.calculateAgreement(secretKey, 0, publicKey, 0, secret,
				0);
		return valid ? secret : null;
	}

}
