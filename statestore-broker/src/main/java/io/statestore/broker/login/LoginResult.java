package io.statestore.broker.login;

import java.util.function.BooleanSupplier;

import io.statestore.broker.security.Authentication;
import org.jspecify.annotations.Nullable;

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
	 * @param revoked returns whether its user was deleted since, {@code null} if its user
	 * cannot be. Does not block
	 */
	record Accepted(Authentication authentication, @Nullable BooleanSupplier revoked) implements LoginResult {
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
