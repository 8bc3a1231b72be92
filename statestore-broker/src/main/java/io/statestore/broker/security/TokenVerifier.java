package io.statestore.broker.security;

/**
 * Verifies the tokens of clients that use enhanced authentication, such as service
 * account tokens of Kubernetes. Called on threads of the broker that may block for a
 * moment, but not on network threads. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface TokenVerifier {

	/**
	 * Verifies a token.
	 * @param token the token, not empty
	 * @return its principal and expiry
	 * @throws AuthenticationException if the token is not valid. The reason does not
	 * contain it
	 */
	Authentication verify(String token) throws AuthenticationException;

}
