package io.statestore.broker.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

import org.jspecify.annotations.Nullable;

/**
 * Authenticates a single user. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class Account implements ImmediateAuthenticator {

	private final String user;

	private final byte[] password;

	/**
	 * Creates an account.
	 * @param user the user name, not empty
	 * @param password the password, not empty
	 */
	public Account(String user, String password) {
		this.user = user;
		this.password = password.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public @Nullable Authentication authenticate(Credentials credentials) throws AuthenticationException {
		if (credentials.method() != null || !this.user.equals(credentials.userName())) {
			return null;
		}
		byte[] presented = credentials.password();
		if (presented == null || !MessageDigest.isEqual(presented, this.password)) {
			throw new AuthenticationException("wrong password");
		}
		return Authentication.of(this.user);
	}

	@Override
	public String toString() {
		return "the user '" + this.user + "'";
	}

}
