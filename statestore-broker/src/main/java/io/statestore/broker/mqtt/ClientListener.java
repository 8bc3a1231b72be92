package io.statestore.broker.mqtt;

import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;

/**
 * Listener for MQTT clients' connections and requests, implemented by the state store.
 * Called on network threads. Implementations must not block.
 * <p>
 * Internal: not part of the API.
 */
public interface ClientListener {

	/**
	 * Called when an MQTT 5 client has connected, before its first request.
	 * @param connection the new connection
	 */
	void connected(ClientConnection connection);

	/**
	 * Called once when a connection has ended, after its last request.
	 * @param connection the connection
	 */
	void disconnected(ClientConnection connection);

	/**
	 * Called when a client has published to the request topic.
	 * @param request the request, which the listener must acknowledge
	 */
	void request(IncomingRequest request);

	/**
	 * Called when a client has published to the administration request topic.
	 * @param request the request, which the listener must acknowledge
	 * @param local whether the client is connected from a loopback address
	 */
	void administer(IncomingRequest request, boolean local);

	/**
	 * Called when an error, such as exhausted memory, has occurred on a network thread.
	 * @param error the error, after which the store must not be used
	 */
	void failed(Error error);

}
