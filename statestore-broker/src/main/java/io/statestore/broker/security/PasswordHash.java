package io.statestore.broker.security;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;

import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * A password hash in Mosquitto's format {@code $7$iterations$salt$hash}: PBKDF2 with
 * HMAC-SHA-512 (RFC 8018), with salt and hash in Base64.
 * <p>
 * Internal: not part of the API.
 */
public final class PasswordHash {

	/** Default number of iterations, which takes about 25 ms of processor time. */
	public static final int DEFAULT_ITERATIONS = 25_000;

	/** Maximum number of iterations, which takes about a second. */
	public static final int MAX_ITERATIONS = 1_000_000;

	/** Maximum size of a password, in bytes. */
	static final int MAX_PASSWORD_SIZE = 4_096;

	private static final String PREFIX = "$7$";

	/** Size of a salt, in bytes. Mosquitto 2.0 does not accept other sizes. */
	private static final int SALT_SIZE = 12;

	private static final int HASH_SIZE = 64;

	private static final SecureRandom random = new SecureRandom();

	private final String text;

	private final int iterations;

	private final byte[] salt;

	private final byte[] hash;

	private PasswordHash(String text, int iterations, byte[] salt, byte[] hash) {
		this.text = text;
		this.iterations = iterations;
		this.salt = salt;
		this.hash = hash;
	}

	/**
	 * Hashes a password with a random salt.
	 * @param password the password, not empty
	 * @param iterations number of iterations, 1 to {@value #MAX_ITERATIONS}
	 * @return a hash of the password
	 * @throws IllegalArgumentException if the password is empty or larger than
	 * {@value #MAX_PASSWORD_SIZE} bytes
	 */
	public static PasswordHash of(String password, int iterations) {
		if (password.isEmpty() || password.getBytes(StandardCharsets.UTF_8).length > MAX_PASSWORD_SIZE) {
			throw new IllegalArgumentException("A password must have 1 to " + MAX_PASSWORD_SIZE + " bytes");
		}
		byte[] salt = new byte[SALT_SIZE];
		random.nextBytes(salt);
		byte[] hash = derive(password.toCharArray(), salt, iterations);
		Base64.Encoder base64 = Base64.getEncoder();
		return new PasswordHash(
				PREFIX + iterations + '$' + base64.encodeToString(salt) + '$' + base64.encodeToString(hash), iterations,
				salt, hash);
	}

	/**
	 * Parses a hash.
	 * @param text the hash in text form
	 * @return the parsed hash
	 * @throws IllegalArgumentException if the text is invalid. The message does not
	 * contain the text, because it may be a password
	 */
	static PasswordHash parse(String text) {
		if (!text.startsWith(PREFIX)) {
			throw new IllegalArgumentException(text.startsWith("$6$")
					? "the hash has the old form $6$. Set the password again with the passwd command"
					: "the password is not hashed. Set it with the passwd command");
		}
		String[] parts = text.substring(PREFIX.length()).split("\\$", -1);
		try {
			int iterations = Integer.parseInt(parts[0]);
			byte[] salt = Base64.getDecoder().decode(parts[1]);
			byte[] hash = Base64.getDecoder().decode(parts[2]);
			if (parts.length == 3 && iterations >= 1 && iterations <= MAX_ITERATIONS && salt.length > 0
					&& hash.length == HASH_SIZE) {
				return new PasswordHash(text, iterations, salt, hash);
			}
		}
		catch (IllegalArgumentException | ArrayIndexOutOfBoundsException ex) {
			// Reported below, without the text.
		}
		throw new IllegalArgumentException("the hash is damaged, or has more than " + MAX_ITERATIONS
				+ " iterations. Set the password again with the passwd command");
	}

	/**
	 * Returns whether a password has this hash. How long this takes depends on the number
	 * of iterations.
	 * @param password the password's bytes
	 * @return whether the password matches
	 */
	boolean matches(byte[] password) {
		if (password.length == 0 || password.length > MAX_PASSWORD_SIZE) {
			return false;
		}
		CharBuffer characters;
		try {
			characters = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(password));
		}
		catch (CharacterCodingException ex) {
			return false;
		}
		char[] exact = Arrays.copyOf(characters.array(), characters.remaining());
		return MessageDigest.isEqual(derive(exact, this.salt, this.iterations), this.hash);
	}

	private static byte[] derive(char[] password, byte[] salt, int iterations) {
		PBEKeySpec spec = new PBEKeySpec(password, salt, iterations, HASH_SIZE * Byte.SIZE);
		try {
			return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512").generateSecret(spec).getEncoded();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("This Java runtime does not support PBKDF2 with HMAC-SHA-512", ex);
		}
		finally {
			spec.clearPassword();
		}
	}

	/**
	 * Returns the hash as text.
	 * @return the text for a password file
	 */
	public String text() {
		return this.text;
	}

	/** Returns a string that does not reveal the hash. */
	@Override
	public String toString() {
		return "PasswordHash[iterations=" + this.iterations + ']';
	}

}
