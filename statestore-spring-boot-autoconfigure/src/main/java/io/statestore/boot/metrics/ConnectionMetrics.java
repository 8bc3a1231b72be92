package io.statestore.boot.metrics;

import java.util.Map;
import java.util.function.Function;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.client.mqtt.StateStoreConnection;

/**
 * Binds meters for connections to state stores.
 *
 * @param connections connections by bean name
 */
record ConnectionMetrics(Map<String, StateStoreConnection> connections) implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		this.connections.forEach((name, connection) -> {
			Meters<StateStoreConnection, StateStoreConnection> meters = new Meters<>(registry, "statestore.",
					Tags.of("name", name), connection, Function.identity());
			meters.gauge("connection.up", "Whether there is a connection: 1, or 0 during an outage",
					(self) -> self.isConnected() ? 1 : 0);
			meters.count("connection.reconnects", "The number of connections that replaced an earlier connection",
					(self) -> self.status().reconnects());
			meters.time("clock.offset", "How far the store's clock was ahead of this machine's clock at the latest "
					+ "SET. About 0 if this machine is ahead", (self) -> self.clockOffset().orElse(null));
			connection.options()
				.hosts()
				.forEach((host) -> meters.tagged("host", host.toString())
					.gauge("connection.active", "Whether the connection uses this host: 1, or 0",
							(self) -> host.equals(self.status().broker()) ? 1 : 0));
		});
	}

}
