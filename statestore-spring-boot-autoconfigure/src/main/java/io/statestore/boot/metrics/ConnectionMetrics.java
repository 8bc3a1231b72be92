package io.statestore.boot.metrics;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.client.mqtt.BrokerAddress;
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
			FunctionCounter
				.builder("statestore.connection.reconnects", connection, (self) -> self.status().reconnects())
				.description("The number of connections that replaced an earlier one")
				.tag("name", name)
				.register(registry);
			TimeGauge.builder("statestore.clock.offset", connection, TimeUnit.MILLISECONDS, ConnectionMetrics::offset)
				.description("The lead of the clock of the store over that of this machine, at the latest SET."
						+ " About 0 if this machine is ahead")
				.tag("name", name)
				.register(registry);
			connection.options().hosts().forEach((host) -> bindHost(registry, name, connection, host));
		});
	}

	private static void bindHost(MeterRegistry registry, String name, StateStoreConnection connection,
			BrokerAddress host) {
		Gauge.builder("statestore.connection.active", connection, (self) -> host.equals(self.status().broker()) ? 1 : 0)
			.description("Whether the connection uses this host, 1 or 0")
			.tag("name", name)
			.tag("host", host.toString())
			.register(registry);
	}

	private static double offset(StateStoreConnection connection) {
		return connection.clockOffset().map(Duration::toMillis).map(Long::doubleValue).orElse(Double.NaN);
	}

}
