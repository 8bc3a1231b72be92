package io.statestore.broker.security;

/** Thrown by an {@link Authenticator} if the credentials are wrong or have expired. */
public class AuthenticationException extends Exception {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param reason why authentication failed, for the log. It must not contain secrets
	 */
	public AuthenticationException(String reason) {
		super(reason);
	}

}
