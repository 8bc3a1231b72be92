package io.statestore.broker;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.mqtt.ClientListener;
import io.statestore.broker.mqtt.MqttBroker;
import io.statestore.broker.mqtt.MqttBrokerSettings;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.Replica;
import io.statestore.broker.server.SecurityStatistics;
import io.statestore.broker.server.StaleReads;
import io.statestore.broker.server.StateStoreStatistics;
import org.jspecify.annotations.Nullable;

/**
 * Port of stale reads of a node: an MQTT broker, independent of the terms of leadership,
 * which serves nothing else. Thread-safe.
 */
final class StaleReadPort implements AutoCloseable {

	private final StaleReads reads;

	private final MqttBroker mqtt;

	/**
	 * Starts to listen.
	 * @param settings address, rules of connections, and limits
	 * @param replica the copy of the store
	 * @param leaderless returns for how long this node has known no leader, {@code null}
	 * if it knows one. Must not block
	 * @param failures receives errors of network threads
	 */
	StaleReadPort(MqttBrokerSettings settings, MemoryBudget budget, Replica replica,
			Supplier<@Nullable Duration> leaderless, Consumer<Error> failures) {
		this.reads = replica.staleReads(leaderless);
		this.mqtt = MqttBroker.start(
				settings.withSecurity(settings.security()
					.withAuthorizer(StaleReadPermissions.authorizer(settings.security().authorizer()))),
				new Listener(this.reads, failures), budget);
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
		this.mqtt.close();
	}

	/** Passes requests to the reads. */
	private record Listener(StaleReads reads, Consumer<Error> failures) implements ClientListener {

		@Override
		public void connected(ClientConnection connection) {
			// Nothing is kept for a connection
		}

		@Override
		public void disconnected(ClientConnection connection) {
			// Nothing is kept for a connection
		}

		@Override
		public void request(IncomingRequest request) {
			this.reads.request(request);
		}

		@Override
		public void administer(IncomingRequest request, boolean local) {
			this.reads.administer(request);
		}

		@Override
		public void failed(Error error) {
			this.failures.accept(error);
		}

	}

}
