package io.statestore.broker;

import io.statestore.broker.mqtt.ClientListener;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.protocol.AdministrationAccess;

/**
 * Adapter that passes the connections and requests of MQTT clients to the state store.
 */
final class ServerAdapter implements ClientListener {

	private final StateStoreServer server;

	private final AdministrationAccess access;

	/**
	 * Creates an adapter.
	 * @param access the clients that may send administration requests
	 */
	ServerAdapter(StateStoreServer server, AdministrationAccess access) {
		this.server = server;
		this.access = access;
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
	public void administer(IncomingRequest request, boolean local) {
		this.server.administer(request, this.access.permits(!request.connection().principal().isAnonymous(), local));
	}

	@Override
	public void failed(Error error) {
		this.server.fail(error);
	}

}
