package io.statestore.broker;

import io.statestore.broker.mqtt.ClientListener;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.StateStoreServer;

/**
 * Adapter that passes the connections and requests of MQTT clients to the state store.
 */
final class ServerAdapter implements ClientListener {

	private final StateStoreServer server;

	ServerAdapter(StateStoreServer server) {
		this.server = server;
	}

	@Override
	public void connected(ClientConnection connection) {
		this.server.connected(connection);
	}

	@Override
	public void disconnected(ClientConnection connection) {
		this.server.disconnected(connection);
	}

	@Override
	public void request(IncomingRequest request) {
		this.server.request(request);
	}

	@Override
	public void failed(Error error) {
		this.server.fail(error);
	}

}
