package io.statestore.broker.security;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import org.jspecify.annotations.Nullable;

/**
 * Authenticates users listed in a file, each with a password hash in Mosquitto's format
 * {@code name:$7$iterations$salt$hash}. The file is read again within two seconds of a
 * change. The broker then ends deleted users' connections. Other clients stay connected,
 * even if their password has changed. If the changed file is invalid, the previous users
 * remain, and an error in the log names the line. Thread-safe.
 * <p>
 * Verifying a hash deliberately takes time. Once a user's password has been verified,
 * later logins are fast until the hash in the file changes.
 */
public final class PasswordFile implements ImmediateAuthenticator {

	/** Maximum number of wrong passwords to remember. */
	private static final int MAX_WRONG = 1_024;

	private static final String ALGORITHM = "HmacSHA256";

	private final WatchedFile<Map<String, PasswordHash>> file;

	/** This process's key for password MACs, which are stored in place of passwords. */
	private final SecretKeySpec key;

	/** MACs of verified passwords by user name. */
	private final ConcurrentMap<String, byte[]> verified = new ConcurrentHashMap<>();

	/** MACs of the latest wrong passwords, which clients tend to repeat. */
	private final Set<ByteBuffer> wrong = Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Boolean> eldest) {
			return size() > MAX_WRONG;
		}

	}));

	private PasswordFile(Path file) {
		this.file = WatchedFile.of(List.of(file), (contents) -> UserFile.parse(contents.get(0)),
				(before, users) -> this.verified.keySet().retainAll(users.keySet()));
		byte[] secret = new byte[32];
		new SecureRandom().nextBytes(secret);
		this.key = new SecretKeySpec(secret, ALGORITHM);
	}

	/**
	 * Reads a password file.
	 * @param file a file in the format that {@code passwd} and {@code mosquitto_passwd}
	 * write
	 * @return an authenticator, which follows changes to the file
	 * @throws IllegalArgumentException if the file is not readable or invalid. The
	 * message names the file and the line
	 */
	public static PasswordFile of(Path file) {
		return new PasswordFile(file);
	}

	@Override
	public @Nullable Decision decide(Credentials credentials) {
		PasswordHash hash = hash(credentials);
		String user = credentials.userName();
		byte[] password = credentials.password();
		if (hash == null || user == null) {
			return Decision.NOT_RESPONSIBLE;
		}
		return (password != null && isVerified(user, mac(user, password, hash))) ? Decision.accept(user) : null;
	}

	private boolean isVerified(String user, byte[] mac) {
		byte[] known = this.verified.get(user);
		return known != null && MessageDigest.isEqual(known, mac);
	}

	@Override
	public @Nullable Authentication authenticate(Credentials credentials) throws AuthenticationException {
		PasswordHash hash = hash(credentials);
		String user = credentials.userName();
		byte[] password = credentials.password();
		if (hash == null || user == null) {
			return null;
		}
		if (password == null || password.length == 0) {
			throw new AuthenticationException("no password");
		}
		if (password.length > PasswordHash.MAX_PASSWORD_SIZE) {
			throw new AuthenticationException(
					"the password is larger than " + PasswordHash.MAX_PASSWORD_SIZE + " bytes");
		}
		byte[] mac = mac(user, password, hash);
		if (isVerified(user, mac)) {
			// Another login with these credentials was verified while this login waited.
			return Authentication.of(user);
		}
		if (this.wrong.contains(ByteBuffer.wrap(mac)) || !hash.matches(password)) {
			this.wrong.add(ByteBuffer.wrap(mac));
			throw new AuthenticationException("wrong password");
		}
		this.verified.put(user, mac);
		return Authentication.of(user);
	}

	/**
	 * Returns whether the file contains a user. Does not block.
	 * @param user the user name
	 * @return {@code false} once the user is deleted
	 */
	public boolean contains(String user) {
		return this.file.current().containsKey(user);
	}

	private @Nullable PasswordHash hash(Credentials credentials) {
		String user = credentials.userName();
		return (user != null && credentials.method() == null) ? this.file.current().get(user) : null;
	}

	/**
	 * Returns the MAC of a password together with the hash in the file, so that it is not
	 * valid for another hash. Empty if the password is too large.
	 */
	private byte[] mac(String user, byte[] password, PasswordHash hash) {
		if (password.length > PasswordHash.MAX_PASSWORD_SIZE) {
			return new byte[0];
		}
		try {
			Mac code = Mac.getInstance(ALGORITHM);
			code.init(this.key);
			code.update(password);
			// The line breaks delimit the hash, which does not contain any.
			code.update(("\n" + hash.text() + '\n' + user).getBytes(StandardCharsets.UTF_8));
			return code.doFinal(ByteBuffer.allocate(Integer.BYTES).putInt(password.length).array());
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("This Java runtime does not support " + ALGORITHM, ex);
		}
	}

	@Override
	public String toString() {
		return "the users in " + this.file;
	}

}
