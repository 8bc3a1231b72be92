package io.statestore.broker.engine;

import org.jspecify.annotations.Nullable;

/**
 * The client that sent a request. Clients of different principals are different, even if
 * they use the same client id one after the other.
 *
 * @param principal the name of the principal that the client has authenticated, or
 * {@code null} if it is anonymous
 * @param clientId the MQTT client id
 */
public record Requester(@Nullable String principal, String clientId) {

	/**
	 * Creates a requester.
	 * @throws IllegalArgumentException if the name of the principal is empty
	 */
	public Requester {
		if (principal != null && principal.isEmpty()) {
			throw new IllegalArgumentException("'principal' must not be empty");
		}
	}

	/**
	 * Returns a client that has not logged in.
	 * @param clientId the MQTT client id
	 * @return the requester
	 */
	public static Requester anonymous(String clientId) {
		return new Requester(null, clientId);
	}

	/**
	 * Returns the length of client id and principal, an estimate of their memory.
	 * @return the number of characters
	 */
	public int length() {
		return this.clientId.length() + ((this.principal != null) ? this.principal.length() : 0);
	}

}
