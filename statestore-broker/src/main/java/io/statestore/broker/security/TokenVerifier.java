package io.statestore.broker.security;

/**
 * Verifies the tokens of clients that use enhanced authentication, such as service
 * account tokens of Kubernetes. Called on a few threads of the broker, which it may block
 * briefly, and never on network threads. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface TokenVerifier {

	/**
	 * Verifies a token.
	 * @param token the token, not empty
	 * @return its principal and expiry
	 * @throws AuthenticationException if the token is not valid. The reason must not
	 * contain the token
	 */
	Authentication verify(String token) throws AuthenticationException;

}
