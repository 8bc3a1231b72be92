package io.statestore.broker.security;

/**
 * Verifies tokens from clients that use enhanced authentication, such as Kubernetes
 * service account tokens. Called on a small pool of broker threads, which it may block
 * briefly, but never on network threads. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface TokenVerifier {

	/**
	 * Verifies a token.
	 * @param token the token, not empty
	 * @return the token's principal and expiry
	 * @throws AuthenticationException if the token is not valid. The reason must not
	 * contain the token
	 */
	Authentication verify(String token) throws AuthenticationException;

}
