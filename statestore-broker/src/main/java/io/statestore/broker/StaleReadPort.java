package io.statestore.broker;

import java.time.Duration;
import java.util.function.Consumer;

import io.statestore.broker.cluster.ClusterNode;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.mqtt.ClientListener;
import io.statestore.broker.mqtt.MqttBroker;
import io.statestore.broker.mqtt.MqttBrokerSettings;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.CopyAge;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.Replica;
import io.statestore.broker.server.SecurityStatistics;
import io.statestore.broker.server.StaleReads;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.protocol.AdministrationAccess;
import org.jspecify.annotations.Nullable;

/**
 * Port of stale reads of a node: an MQTT broker, independent of the terms of leadership,
 * which serves nothing else. Refuses all requests until the node is given to
 * {@link #serve}. Thread-safe.
 */
final class StaleReadPort implements AutoCloseable {

	/**
	 * Time for which a node without a leader waits for one after its start, instead of
	 * answering from a copy of unknown age. An election takes less, if a majority runs.
	 */
	private static final Duration FIRST_LEADER = Duration.ofSeconds(5);

	private final StaleReads reads;

	private final MqttBroker mqtt;

	/** Reading of the monotonic clock when the node was given. */
	private volatile long served;

	private volatile @Nullable ClusterNode node;

	/**
	 * Starts to listen.
	 * @param settings address, rules of connections, and limits
	 * @param administration the clients that may read a backup without an authorizer
	 * @param replica the copy of the store
	 * @param failures receives errors of network threads
	 */
	StaleReadPort(MqttBrokerSettings settings, AdministrationAccess administration, MemoryBudget budget,
			Replica replica, Consumer<Error> failures) {
		this.reads = replica.staleReads(this::age);
		this.mqtt = MqttBroker.start(
				settings.withSecurity(settings.security()
					.withAuthorizer(StaleReadPermissions.authorizer(settings.security().authorizer()))),
				new Listener(this.reads, settings.security().authorizer() != null, administration, failures), budget);
	}

	/**
	 * Begins to answer requests.
	 * @param node the node that updates the replica
	 */
	void serve(ClusterNode node) {
		node.measureAge();
		this.served = System.nanoTime();
		this.node = node;
	}

	private CopyAge age() {
		ClusterNode node = this.node;
		if (node == null) {
			return CopyAge.PENDING;
		}
		return node.age().map(CopyAge::atMost).orElseGet(() -> ageBeforeContact(node));
	}

	/**
	 * Returns what is known before the node has caught up with a leader for the first
	 * time.
	 */
	private CopyAge ageBeforeContact(ClusterNode node) {
		boolean starting = System.nanoTime() - this.served < FIRST_LEADER.toNanos();
		return (starting || node.leadership().leader() != null) ? CopyAge.PENDING : CopyAge.UNKNOWN;
	}

	int port() {
		return this.mqtt.port();
	}

	/** Returns statistics that include this port. */
	StateStoreStatistics addTo(StateStoreStatistics statistics) {
		SecurityStatistics security = new SecurityStatistics(this.mqtt.logins().accepted(),
				this.mqtt.logins().refused(), this.reads.deniedRequests(), this.mqtt.deniedTopics());
		return new StateStoreStatistics(statistics.store(), statistics.clientMemory(), statistics.principals(),
				statistics.connections().plus(this.mqtt.connections()), statistics.security().plus(security));
	}

	/** Ends all connections at once and stops listening, without waiting. */
	void abort() {
		this.mqtt.abort(() -> {
		});
	}

	/** Disconnects all clients and stops. */
	@Override
	public void close() {
		this.node = null;
		this.mqtt.close();
	}

	/** Passes requests to the reads. */
	private record Listener(StaleReads reads, boolean authorizer, AdministrationAccess administration,
			Consumer<Error> failures) implements ClientListener {

		@Override
		public void connected(ClientConnection connection) {
			// Nothing is kept for a connection
		}

		@Override
		public void disconnected(ClientConnection connection) {
			this.reads.disconnected(connection);
		}

		@Override
		public void request(IncomingRequest request) {
			this.reads.request(request);
		}

		@Override
		public void administer(IncomingRequest request, boolean local) {
			this.reads.administer(request,
					ServerAdapter.mayAdminister(request.connection(), local, this.authorizer, this.administration));
		}

		@Override
		public void failed(Error error) {
			this.failures.accept(error);
		}

	}

}
