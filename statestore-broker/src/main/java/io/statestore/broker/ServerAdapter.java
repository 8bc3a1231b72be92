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

	private final boolean login;

	/**
	 * Creates an adapter.
	 * @param access the clients that may send administration requests
	 * @param login whether all clients have logged in
	 */
	ServerAdapter(StateStoreServer server, AdministrationAccess access, boolean login) {
		this.server = server;
		this.access = access;
		this.login = login;
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
		this.server.administer(request, this.access.permits(this.login, local));
	}

	@Override
	public void failed(Error error) {
		this.server.fail(error);
	}

}
