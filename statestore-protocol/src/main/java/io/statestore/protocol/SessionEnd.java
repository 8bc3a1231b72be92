package io.statestore.protocol;

/**
 * An administration request that ends a client's MQTT session and disconnects the client.
 *
 * @param clientId the MQTT client id
 */
public record SessionEnd(String clientId) implements AdministrationRequest {

	/**
	 * Creates a request.
	 * @throws IllegalArgumentException if the client id is empty
	 */
	public SessionEnd {
		if (clientId.isEmpty()) {
			throw new IllegalArgumentException("The client id is empty");
		}
	}

}
