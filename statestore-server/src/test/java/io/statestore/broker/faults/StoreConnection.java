package io.statestore.broker.faults;

import java.net.InetSocketAddress;
import java.time.Duration;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;

/** Our client, connected to one node. Reconnects automatically. */
final class StoreConnection implements AutoCloseable {

	private final StateStoreConnection connection;

	private final KeyWatches observations;

	private final StateStoreLockRegistry locks;

	private final StateStoreTemplate template;

	StoreConnection(String clientId, InetSocketAddress address, Duration lease) {
		this.connection = new StateStoreConnection(ConnectionOptions.builder()
			.host(address.getAddress().getHostAddress())
			.port(address.getPort())
			.clientId(clientId)
			.connectTimeout(Duration.ofSeconds(2))
			.requestTimeout(Duration.ofSeconds(3))
			.keepAlive(Duration.ofSeconds(5))
			.reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(200))
			.build());
		this.observations = new KeyWatches(this.connection);
		this.template = new StateStoreTemplate(this.connection, null, this.observations);
		this.locks = new StateStoreLockRegistry(this.template,
				LockOptions.DEFAULT.withLease(lease).withHolderName(clientId));
		this.connection.start();
	}

	StateStoreTemplate template() {
		return this.template;
	}

	StateStoreLockRegistry locks() {
		return this.locks;
	}

	@Override
	public void close() {
		this.locks.stop();
		this.observations.close();
		this.connection.close();
	}

}
