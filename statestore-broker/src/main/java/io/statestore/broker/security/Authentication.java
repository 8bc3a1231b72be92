package io.statestore.broker.security;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A successful authentication.
 *
 * @param principal the identity of the client
 * @param expiresAt the time at which the broker ends the connection, unless the client
 * authenticates again before, {@code null} for never
 */
public record Authentication(ClientPrincipal principal, @Nullable Instant expiresAt) {

	/**
	 * Creates an authentication that does not expire.
	 * @param name the name of the principal
	 * @return a new authentication
	 */
	public static Authentication of(String name) {
		return new Authentication(ClientPrincipal.of(name), null);
	}

}
