package io.statestore.broker;

import java.util.function.Consumer;
import java.util.function.Supplier;

import io.statestore.broker.cluster.ClusterNode;
import io.statestore.broker.mqtt.ClientListener;
import io.statestore.broker.mqtt.MqttBroker;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.protocol.AdministrationAccess;
import org.jspecify.annotations.Nullable;

/**
 * Passes MQTT clients' connections and requests to the state store.
 */
final class ServerAdapter implements ClientListener {

	private final StateStoreServer server;

	private final AdministrationAccess access;

	private final boolean authorizer;

	private final Consumer<Error> failures;

	private final Supplier<@Nullable ClusterNode> cluster;

	private final Supplier<@Nullable MqttBroker> broker;

	/**
	 * Creates an adapter.
	 * @param server receives all connections and requests
	 * @param access the clients that may send administration requests without an
	 * authorizer
	 * @param authorizer whether clients' permissions decide instead
	 * @param failures receives errors from network threads
	 * @param cluster returns the cluster node, {@code null} for a single broker
	 * @param broker returns the clients' MQTT broker, {@code null} until it has started
	 */
	ServerAdapter(StateStoreServer server, AdministrationAccess access, boolean authorizer, Consumer<Error> failures,
			Supplier<@Nullable ClusterNode> cluster, Supplier<@Nullable MqttBroker> broker) {
		this.server = server;
		this.broker = broker;
		this.cluster = cluster;
		this.failures = failures;
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
		boolean permitted = mayAdminister(request.connection(), local, this.authorizer, this.access);
		MqttBroker broker = this.broker.get();
		this.server.administer(request, permitted, this.cluster.get(), (broker != null) ? broker.sessions() : null);
	}

	/** Returns whether a client may send administration requests. */
	static boolean mayAdminister(ClientConnection connection, boolean local, boolean authorizer,
			AdministrationAccess access) {
		return authorizer ? connection.permissions().mayAdminister()
				: access.permits(!connection.principal().isAnonymous(), local);
	}

	@Override
	public void failed(Error error) {
		this.failures.accept(error);
	}

}
