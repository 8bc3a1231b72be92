package io.statestore.dafka.node.internal;

import io.statestore.dafka.internal.Options;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.dafka.Bytes;

/**
 * A node's key pair, stored in the format of ZeroMQ certificates. Immutable.
 *
 * @param publicKey 32 bytes
 * @param secretKey 32 bytes, which are never changed
 */
record CurveKeyPair(Bytes publicKey, byte[] secretKey) {

	private static final String OPTION = "curve.keyFile";

	private static final int MAX_SIZE = 64 << 10;

	private static final Pattern LINE = Pattern.compile("(?m)^\\s*(public-key|secret-key)\\s*=\\s*\"([^\"\r\n]*)\"");

	/**
	 * Generates a key pair.
	 * @return a new key pair
	 */
	static CurveKeyPair generate() {
		return of(CurveBox.random(CurveBox.KEY));
	}

	/** Returns the key pair for a 32-byte secret key. */
	static CurveKeyPair of(byte[] secretKey) {
		return new CurveKeyPair(Bytes.wrap(CurveBox.publicKey(secretKey)), secretKey);
	}

	/**
	 * Reads a key pair.
	 * @param file certificate file with the secret key
	 * @return the secret key and its public key
	 * @throws IllegalArgumentException if the file cannot be read or has no secret key
	 */
	static CurveKeyPair read(Path file) {
		String text = text(OPTION, file, MAX_SIZE, "a file that this process can read; 'dafka keys' creates it");
		String publicKey = null;
		String secretKey = null;
		for (Matcher matcher = LINE.matcher(text); matcher.find();) {
			if (matcher.group(1).equals("secret-key")) {
				secretKey = matcher.group(2);
			}
			else {
				publicKey = matcher.group(2);
			}
		}
		Options.require(secretKey != null, OPTION, "'" + file + "', which has no secret key,",
				"the file whose name ends with .key_secret");
		byte[] bytes = (secretKey != null) ? Z85.decode(secretKey) : null;
		Options.require(bytes != null, OPTION, "'" + file + "', whose secret key is not 40 characters of Z85,",
				"a file created by 'dafka keys'");
		CurveKeyPair keys = of(Objects.requireNonNull(bytes));
		Options.require(publicKey == null || publicKey.equals(Z85.encode(keys.publicKey())), OPTION,
				"'" + file + "', whose public key does not belong to its secret key,",
				"a file created by 'dafka keys'");
		return keys;
	}

	/** Reads a small file. Reports a failure as an invalid option value. */
	static String text(String option, Path file, int maxSize, String valid) {
		try {
			Options.require(Files.size(file) <= maxSize, option, "'" + file + "', which is too large,", valid);
			return Files.readString(file, StandardCharsets.ISO_8859_1);
		}
		catch (IOException | SecurityException ex) {
			Options.require(false, option, "'" + file + "' (" + reason(ex) + ')', valid);
			throw new IllegalStateException(ex);
		}
	}

	private static String reason(Exception ex) {
		return (ex instanceof NoSuchFileException) ? "no such file"
				: (ex instanceof AccessDeniedException) ? "access denied" : String.valueOf(ex);
	}

	@Override
	public String toString() {
		return "CurveKeyPair[publicKey=" + Z85.encode(this.publicKey) + ']';
	}

}
