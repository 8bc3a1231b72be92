package io.statestore.broker.security;

import org.jspecify.annotations.Nullable;

/**
 * Verifies the credentials of clients. A broker consults its authenticators in order. The
 * first result other than {@code null} decides.
 * <p>
 * Called on a few threads of the broker, which it may block briefly, but never on network
 * threads. Implementations must be thread-safe. If an authenticator throws an exception
 * other than {@link AuthenticationException}, the broker logs it and refuses the client
 * with the reason code 0x88, Server unavailable. It does the same if there is no result
 * within 10 seconds of the client's packet, and ignores a later result.
 */
@FunctionalInterface
public interface Authenticator {

	/**
	 * Verifies credentials.
	 * @param credentials the credentials in the CONNECT or AUTH packet of the client
	 * @return the authentication, or {@code null} if this authenticator is not
	 * responsible for credentials of this kind
	 * @throws AuthenticationException if the credentials are wrong. The broker then
	 * refuses the client after a delay
	 */
	@Nullable Authentication authenticate(Credentials credentials) throws AuthenticationException;

}
