package io.statestore.broker.security;

import org.jspecify.annotations.Nullable;

/**
 * Verifies the credentials of clients. A broker consults its authenticators in their
 * order. The first one that does not return {@code null} decides.
 * <p>
 * Called on threads of the broker that may block for a moment, but not on network
 * threads. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface Authenticator {

	/**
	 * Verifies credentials.
	 * @param credentials what the client presents
	 * @return the authentication, or {@code null} if this authenticator is not
	 * responsible for credentials of this kind
	 * @throws AuthenticationException if the credentials are wrong
	 */
	@Nullable Authentication authenticate(Credentials credentials) throws AuthenticationException;

}
