package io.statestore.broker.security;

import org.jspecify.annotations.Nullable;

/**
 * An authenticator that can accept some credentials without blocking, such as those of a
 * user who has logged in before. Such logins do not wait for the verification of other
 * credentials. Implementations must be thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public interface ImmediateAuthenticator extends Authenticator {

	/**
	 * Verifies credentials on a network thread. By default, calls {@link #authenticate},
	 * which must not block.
	 * @param credentials what the client presents
	 * @return the decision, or {@code null} if only {@link #authenticate} can make it, as
	 * for all wrong credentials
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
	 * Decision about credentials.
	 *
	 * @param authentication the authentication, or {@code null} if the authenticator is
	 * not responsible for credentials of this kind
	 */
	record Decision(@Nullable Authentication authentication) {

		/** The authenticator is not responsible. */
		public static final Decision NOT_RESPONSIBLE = new Decision(null);

		/**
		 * Returns the decision to accept a client.
		 * @param name name of its principal
		 * @return a decision
		 */
		public static Decision accept(String name) {
			return new Decision(Authentication.of(name));
		}

	}

}
