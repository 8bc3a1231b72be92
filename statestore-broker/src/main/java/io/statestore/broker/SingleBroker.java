package io.statestore.broker;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.statestore.broker.cluster.ClusterNode;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.mqtt.MqttBroker;
import io.statestore.broker.mqtt.MqttBrokerSettings;
import io.statestore.broker.server.DurabilityStatistics;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.protocol.AdministrationAccess;

/** A state store and an MQTT broker on one machine. */
final class SingleBroker implements RunningBroker {

	private final StateStoreServer server;

	private final BrokerStatistics statistics;

	private volatile MqttBroker mqtt;

	private volatile boolean ended;

	/**
	 * Starts a broker.
	 * @param server the state store. This constructor closes it if the broker cannot
	 * start
	 */
	SingleBroker(MqttBrokerSettings settings, AdministrationAccess administration, StateStoreServer server,
			MemoryBudget budget) {
		this.server = server;
		this.statistics = new BrokerStatistics(budget, settings.principals());
		try {
			ServerAdapter adapter = new ServerAdapter(server, administration, settings.security().authorizer() != null,
					server::fail, () -> null, () -> this.mqtt);
			this.mqtt = MqttBroker.start(settings, adapter, budget, server.sessionLog());
		}
		catch (RuntimeException ex) {
			server.close();
			throw ex;
		}
	}

	@Override
	public int port() {
		return this.mqtt.port();
	}

	@Override
	public StateStoreStatistics statistics() {
		return this.statistics.of(this.server.statistics(), this.server, this.mqtt);
	}

	@Override
	public Optional<DurabilityStatistics> durability() {
		return this.server.durability();
	}

	@Override
	public boolean isReady() {
		return !this.ended;
	}

	@Override
	public Optional<ClusterNode> node() {
		return Optional.empty();
	}

	@Override
	public CompletableFuture<Throwable> failure() {
		return this.server.failure().thenApply((error) -> error);
	}

	@Override
	public void abort(Runnable stopped) {
		this.ended = true;
		this.mqtt.abort(stopped);
	}

	@Override
	public void close() {
		this.ended = true;
		this.mqtt.close();
		this.server.close();
	}

}
