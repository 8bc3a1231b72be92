package io.statestore.broker.login;

import io.statestore.broker.security.Authentication;

/**
 * Result of a login.
 * <p>
 * Internal: not part of the API.
 */
public sealed interface LoginResult {

	/**
	 * The client may connect.
	 *
	 * @param authentication its identity
	 */
	record Accepted(Authentication authentication) implements LoginResult {
	}

	/** The reasons for which a client is refused. */
	enum Refused implements LoginResult {

		/** Wrong user name, password, or authentication data. */
		BAD_CREDENTIALS,

		/** Clients must log in. */
		LOGIN_REQUIRED,

		/** Clients at this address must log in, but the broker has no users. */
		ADDRESS_NOT_PERMITTED,

		/** No authenticator supports the method of enhanced authentication. */
		UNKNOWN_METHOD,

		/** Too many logins wait for verification. */
		BUSY,

		/** An authenticator failed. */
		UNAVAILABLE

	}

}
