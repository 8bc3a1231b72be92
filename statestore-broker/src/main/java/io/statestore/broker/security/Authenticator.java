package io.statestore.broker.security;

import org.jspecify.annotations.Nullable;

/**
 * Verifies clients' credentials. A broker consults its authenticators in order, and the
 * first result other than {@code null} decides.
 * <p>
 * Called on a small pool of broker threads, which it may block briefly, but never on
 * network threads. Implementations must be thread-safe. If an authenticator throws an
 * exception other than {@link AuthenticationException}, the broker logs the exception and
 * refuses the client with reason code 0x88, Server unavailable. The broker also refuses
 * the client if there is no result within 10 seconds of the client's packet, and ignores
 * any later result.
 */
@FunctionalInterface
public interface Authenticator {

	/**
	 * Verifies credentials.
	 * @param credentials the credentials in the client's CONNECT or AUTH packet
	 * @return the authentication, or {@code null} if this authenticator does not handle
	 * credentials of this kind
	 * @throws AuthenticationException if the credentials are wrong. The broker then
	 * refuses the client after a delay
	 */
	@Nullable Authentication authenticate(Credentials credentials) throws AuthenticationException;

}
