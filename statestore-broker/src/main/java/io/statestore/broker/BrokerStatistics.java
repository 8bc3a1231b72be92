package io.statestore.broker;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.mqtt.MqttBroker;
import io.statestore.broker.principal.Principals;
import io.statestore.broker.server.ConnectionStatistics;
import io.statestore.broker.server.SecurityStatistics;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.broker.server.StoreStatistics;
import org.jspecify.annotations.Nullable;

/** Collects the statistics of a broker from its parts. */
final class BrokerStatistics {

	private final MemoryBudget budget;

	private final Principals principals;

	BrokerStatistics(MemoryBudget budget, Principals principals) {
		this.budget = budget;
		this.principals = principals;
	}

	/**
	 * Returns statistics.
	 * @param server the local server, {@code null} if none serves requests
	 * @param mqtt the local MQTT broker, {@code null} if none serves clients
	 */
	StateStoreStatistics of(StoreStatistics store, @Nullable StateStoreServer server, @Nullable MqttBroker mqtt) {
		long refusedKeys = (server != null) ? server.refusedKeysOfPrincipals() : 0;
		long deniedRequests = (server != null) ? server.deniedRequests() : 0;
		return new StateStoreStatistics(store, this.budget.statistics(),
				this.principals.statistics(this.principals.limits().maxKeys(store.maxKeys()), refusedKeys),
				(mqtt != null) ? mqtt.connections() : ConnectionStatistics.NONE,
				(mqtt != null) ? new SecurityStatistics(mqtt.logins().accepted(), mqtt.logins().refused(),
						deniedRequests, mqtt.deniedTopics()) : SecurityStatistics.NONE);
	}

}
