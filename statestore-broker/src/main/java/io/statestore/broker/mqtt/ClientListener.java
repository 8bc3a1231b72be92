package io.statestore.broker.mqtt;

import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;

/**
 * Listener of the state store for MQTT clients. Called on network threads;
 * implementations must return immediately.
 */
public interface ClientListener {

	/** An MQTT 5 client has connected. Comes before its first request. */
	void connected(ClientConnection connection);

	/** A connection has ended. Comes once, after its last request. */
	void disconnected(ClientConnection connection);

	/** A client has published to the request topic. */
	void request(IncomingRequest request);

	/**
	 * An error occurred on a network thread, such as exhausted memory.
	 * @param error the error
	 */
	void failed(Error error);

}
