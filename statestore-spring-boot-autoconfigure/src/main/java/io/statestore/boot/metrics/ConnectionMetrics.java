package io.statestore.boot.metrics;

import java.util.Map;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.client.mqtt.StateStoreConnection;

/** Binds meters for connections to state stores. */
class ConnectionMetrics implements MeterBinder {

	private final Map<String, StateStoreConnection> connections;

	/**
	 * Creates a binder.
	 * @param connections connections by bean name
	 */
	ConnectionMetrics(Map<String, StateStoreConnection> connections) {
		this.connections = connections;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.connections.forEach((name, connection) -> {
			Gauge.builder("statestore.connection.up", connection, (self) -> self.isConnected() ? 1 : 0)
				.description("Whether there is a connection: 1, or 0 during an outage")
				.tag("name", name)
				.register(registry);
			FunctionCounter.builder("statestore.connection.reconnects", connection, StateStoreConnection::reconnects)
				.description("The number of connections that replaced an earlier one")
				.tag("name", name)
				.register(registry);
		});
	}

}
