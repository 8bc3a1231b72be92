package io.statestore.dafka.curve;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;

import javax.crypto.KeyAgreement;

import org.jspecify.annotations.Nullable;

/**
 * Key agreement X25519 (RFC 7748), with the implementation of the JDK. Internal: not part
 * of the API.
 */
public final class X25519 {

	private static final int BYTES = 32;

	private static final byte[] BASE_POINT = basePoint();

	private X25519() {
	}

	private static byte[] basePoint() {
		byte[] point = new byte[BYTES];
		point[0] = 9;
		return point;
	}

	/**
	 * Returns the public key of a secret key.
	 * @param secretKey 32 bytes
	 * @return 32 bytes
	 */
	public static byte[] publicKey(byte[] secretKey) {
		byte[] publicKey = agree(BASE_POINT, secretKey);
		if (publicKey == null) {
			throw new IllegalStateException("No public key");
		}
		return publicKey;
	}

	/**
	 * Returns the secret that the owners of two keys share.
	 * @param publicKey public key of one owner, 32 bytes
	 * @param secretKey secret key of the other owner, 32 bytes
	 * @return 32 bytes, or {@code null} if the public key makes the secret predictable
	 */
	public static byte @Nullable [] agree(byte[] publicKey, byte[] secretKey) {
		try {
			KeyFactory factory = KeyFactory.getInstance("X25519");
			PrivateKey secret = factory.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, secretKey));
			KeyAgreement agreement = KeyAgreement.getInstance("X25519");
			agreement.init(secret);
			agreement.doPhase(
					factory.generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, coordinate(publicKey))),
					true);
			return agreement.generateSecret();
		}
		catch (InvalidKeyException ex) {
			return null;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(
					"CURVE requires X25519, which this JVM does not provide. Add the module" + " jdk.crypto.ec", ex);
		}
	}

	/** Returns the number whose bytes a public key contains, the lowest first. */
	private static BigInteger coordinate(byte[] publicKey) {
		byte[] reversed = new byte[BYTES];
		for (int i = 0; i < BYTES; i++) {
			reversed[i] = publicKey[BYTES - 1 - i];
		}
		reversed[0] &= 0x7F;
		return new BigInteger(1, reversed);
	}

}
