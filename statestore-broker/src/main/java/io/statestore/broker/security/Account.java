package io.statestore.broker.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

import org.jspecify.annotations.Nullable;

/**
 * Authenticator of one user. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class Account implements ImmediateAuthenticator {

	private final String user;

	private final byte[] password;

	/**
	 * Creates an account.
	 * @param user the user name
	 * @param password the password
	 */
	public Account(String user, String password) {
		this.user = user;
		this.password = password.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public @Nullable Decision decide(Credentials credentials) {
		if (!isResponsible(credentials)) {
			return Decision.NOT_RESPONSIBLE;
		}
		return isPassword(credentials.password()) ? Decision.accept(this.user) : null;
	}

	@Override
	public @Nullable Authentication authenticate(Credentials credentials) throws AuthenticationException {
		if (!isResponsible(credentials)) {
			return null;
		}
		if (!isPassword(credentials.password())) {
			throw new AuthenticationException("wrong password");
		}
		return Authentication.of(this.user);
	}

	private boolean isResponsible(Credentials credentials) {
		return credentials.method() == null && this.user.equals(credentials.userName());
	}

	private boolean isPassword(byte @Nullable [] password) {
		return password != null && MessageDigest.isEqual(password, this.password);
	}

	@Override
	public String toString() {
		return "the user '" + this.user + "'";
	}

}
