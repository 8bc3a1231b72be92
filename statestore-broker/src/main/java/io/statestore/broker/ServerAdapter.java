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

	private final boolean authorizer;

	/**
	 * Creates an adapter.
	 * @param access the clients that may send administration requests without an
	 * authorizer
	 * @param authorizer whether the permissions of clients decide
	 */
	ServerAdapter(StateStoreServer server, AdministrationAccess access, boolean authorizer) {
		this.server = server;
		this.access = access;
		this.authorizer = authorizer;
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
		boolean permitted = this.authorizer ? request.connection().permissions().mayAdminister()
				: this.access.permits(!request.connection().principal().isAnonymous(), local);
		this.server.administer(request, permitted);
	}

	@Override
	public void failed(Error error) {
		this.server.fail(error);
	}

}
