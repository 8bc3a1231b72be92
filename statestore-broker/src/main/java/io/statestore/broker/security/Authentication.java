package io.statestore.broker.security;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A successful authentication. Immutable.
 * <p>
 * When it expires, the broker ends the connection, with the reason code 0x87 if the
 * client uses MQTT 5. A client that used enhanced authentication can authenticate again
 * before that, as the same principal.
 *
 * @param principal the identity of the client
 * @param expiresAt the time at which the authentication expires, {@code null} for never
 */
public record Authentication(ClientPrincipal principal, @Nullable Instant expiresAt) {

	/**
	 * Creates an authentication that does not expire.
	 * @param name the name of the principal
	 * @return a new authentication
	 * @throws IllegalArgumentException if the name is empty or not well-formed Unicode
	 */
	public static Authentication of(String name) {
		return new Authentication(ClientPrincipal.of(name), null);
	}

}
