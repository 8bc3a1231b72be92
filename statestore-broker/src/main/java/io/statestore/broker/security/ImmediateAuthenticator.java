package io.statestore.broker.security;

import org.jspecify.annotations.Nullable;

/**
 * An authenticator that can accept some credentials without blocking, such as the
 * credentials of a user who has logged in before. Such logins do not wait until other
 * credentials have been verified. Implementations must be thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public interface ImmediateAuthenticator extends Authenticator {

	/**
	 * Verifies credentials on a network thread. By default, calls {@link #authenticate},
	 * which then must not block.
	 * @param credentials the client's credentials
	 * @return the decision, or {@code null} if only {@link #authenticate} can decide,
	 * which is the case for all wrong credentials
	 */
	default @Nullable Decision decide(Credentials credentials) {
		try {
			return new Decision(authenticate(credentials));
		}
		catch (AuthenticationException ex) {
			return null;
		}
	}

	/**
	 * A decision about credentials.
	 *
	 * @param authentication the authentication, or {@code null} if the authenticator does
	 * not handle credentials of this kind
	 */
	record Decision(@Nullable Authentication authentication) {

		/** The authenticator does not handle credentials of this kind. */
		public static final Decision NOT_RESPONSIBLE = new Decision(null);

		/**
		 * Returns a decision to accept a client.
		 * @param name name of the client's principal
		 * @return a decision whose authentication does not expire
		 */
		public static Decision accept(String name) {
			return new Decision(Authentication.of(name));
		}

	}

}
