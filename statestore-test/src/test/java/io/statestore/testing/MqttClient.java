package io.statestore.testing;

import java.time.Duration;

import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.client.watch.KeyWatches;
import io.statestore.client.watch.WatchOptions;

/** A broker's client, whose deadlines follow a test time. */
final class MqttClient implements AutoCloseable {

	private final ClientResources resources;

	private final StateStoreConnection connection;

	private final KeyWatches watches;

	private final StateStoreTemplate template;

	MqttClient(int port, TestTime time, String clientId) {
		this.resources = time.clientResources();
		this.connection = new StateStoreConnection(
				ConnectionOptions.builder().host("localhost").port(port).clientId(clientId).build(), this.resources);
		this.watches = new KeyWatches(this.connection, WatchOptions.DEFAULT, null, StateStoreObservability.NONE,
				this.resources);
		this.template = new StateStoreTemplate(this.connection, null, this.watches);
		this.connection.start();
	}

	StateStoreTemplate operations() {
		return this.template;
	}

	/** Creates a lock registry with a given lease. */
	StateStoreLockRegistry locks(Duration lease) {
		return new StateStoreLockRegistry(this.template, LockOptions.DEFAULT.withLease(lease), this.resources);
	}

	StateStoreConnection connection() {
		return this.connection;
	}

	@Override
	public void close() {
		this.watches.close();
		this.connection.close();
		this.resources.close();
	}

}
