package io.statestore.broker.login;

import java.util.function.BooleanSupplier;

import io.statestore.broker.security.Authentication;
import org.jspecify.annotations.Nullable;

/**
 * The result of a login.
 * <p>
 * Internal: not part of the API.
 */
public sealed interface LoginResult {

	/**
	 * The client may connect.
	 *
	 * @param authentication the client's identity and its expiry
	 * @param revoked returns whether the user has been deleted since, {@code null} if
	 * users cannot be deleted. Does not block
	 */
	record Accepted(Authentication authentication, @Nullable BooleanSupplier revoked) implements LoginResult {
	}

	/** Reasons for refusing a client. */
	enum Refused implements LoginResult {

		/** The user name, password, or authentication data is wrong. */
		BAD_CREDENTIALS,

		/** Clients must log in. */
		LOGIN_REQUIRED,

		/** Clients at this address must log in, but the broker has no users. */
		ADDRESS_NOT_PERMITTED,

		/** No authenticator supports the enhanced authentication method. */
		UNKNOWN_METHOD,

		/** Too many logins are waiting to be verified. */
		BUSY,

		/** An authenticator failed. */
		UNAVAILABLE

	}

}
