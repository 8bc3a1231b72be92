package io.statestore.broker;

import java.util.concurrent.atomic.AtomicReference;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.mqtt.MqttBrokerSettings;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.protocol.AdministrationAccess;
import org.jspecify.annotations.Nullable;

/** A broker that a test can cause to fail with an error. */
public final class FailingBroker {

	private final AtomicReference<@Nullable Error> error = new AtomicReference<>();

	/** Starts a broker on a free port. */
	public StateStoreBroker start() {
		StateStoreServer server = new StateStoreServer(StateStoreServerOptions.defaults().withWallClock(() -> {
			Error error = this.error.get();
			if (error != null) {
				throw error;
			}
			return System.currentTimeMillis();
		}));
		MqttBrokerSettings settings = new MqttBrokerSettings("localhost", 0, 10_000);
		return new StateStoreBroker(settings,
				new SingleBroker(settings, AdministrationAccess.TRUSTED, server, MemoryBudget.of(1 << 20)));
	}

	public void fail(Error error) {
		this.error.set(error);
	}

}
