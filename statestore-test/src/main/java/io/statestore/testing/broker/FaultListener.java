package io.statestore.testing.broker;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.broker.mqtt.ClientListener;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.StateStoreServer;

/** Connections of the MQTT clients of a test broker. Thread-safe. */
final class FaultListener implements ClientListener {

	private final Map<ClientConnection, FaultyConnection> connections = new ConcurrentHashMap<>();

	private final TestTraffic traffic;

	private volatile StateStoreServer server;

	private volatile boolean refusing;

	/**
	 * Creates a listener.
	 * @param traffic shared state of the connections
	 * @param server serves the first connections
	 */
	FaultListener(TestTraffic traffic, StateStoreServer server) {
		this.traffic = traffic;
		this.server = server;
	}

	/** Sets the server for later connections. */
	void serve(StateStoreServer server) {
		this.server = server;
	}

	/** Sets whether new connections are ended at once. */
	void refuse(boolean refusing) {
		this.refusing = refusing;
	}

	List<String> clientIds() {
		return this.connections.keySet().stream().map(ClientConnection::clientId).sorted().toList();
	}

	/** Handles a stop of the broker, which ends all connections. */
	void stopping() {
		this.traffic.absent().addAll(clientIds());
	}

	/** Ends all connections like a network failure. */
	void cut() {
		List.copyOf(this.connections.values()).forEach(FaultyConnection::cut);
	}

	/**
	 * Ends the connection of a client like a network failure.
	 * @return whether the client was connected
	 */
	boolean cut(String clientId) {
		List<FaultyConnection> ofClient = this.connections.values()
			.stream()
			.filter((connection) -> connection.clientId().equals(clientId))
			.toList();
		ofClient.forEach(FaultyConnection::cut);
		return !ofClient.isEmpty();
	}

	@Override
	public void connected(ClientConnection connection) {
		if (this.refusing) {
			connection.abort();
			return;
		}
		FaultyConnection faulty = new FaultyConnection(connection, this.server, this.traffic);
		this.connections.put(connection, faulty);
		faulty.connected();
		this.traffic.absent().remove(connection.clientId());
	}

	@Override
	public void disconnected(ClientConnection connection) {
		FaultyConnection faulty = this.connections.remove(connection);
		if (faulty != null) {
			faulty.disconnected();
		}
	}

	@Override
	public void request(IncomingRequest request) {
		FaultyConnection faulty = this.connections.get(request.connection());
		if (faulty != null) {
			faulty.request(request);
		}
	}

	@Override
	public void administer(IncomingRequest request, boolean local) {
		FaultyConnection faulty = this.connections.get(request.connection());
		if (faulty != null) {
			faulty.administer(request, local);
		}
	}

	@Override
	public void failed(Error error) {
		this.server.fail(error);
	}

}
