package io.statestore.broker.security;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A successful authentication. Immutable.
 * <p>
 * When it expires, the broker ends the connection, with reason code 0x87 if the client
 * uses MQTT 5. A client that used enhanced authentication can re-authenticate before
 * that, as the same principal.
 *
 * @param principal the client's identity
 * @param expiresAt when the authentication expires, {@code null} for never
 */
public record Authentication(ClientPrincipal principal, @Nullable Instant expiresAt) {

	/**
	 * Creates an authentication that does not expire.
	 * @param name the name of the principal
	 * @return an authentication for a principal with this name
	 * @throws IllegalArgumentException if the name is empty or not well-formed Unicode
	 */
	public static Authentication of(String name) {
		return new Authentication(ClientPrincipal.of(name), null);
	}

}
