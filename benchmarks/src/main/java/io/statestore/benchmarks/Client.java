package io.statestore.benchmarks;

import java.time.Duration;

import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.client.watch.KeyWatches;
import io.statestore.client.watch.WatchOptions;

/** Our client, set up as in an application. */
final class Client implements AutoCloseable {

	/**
	 * Timer and threads shared by all clients, just as a Redis client shares them among
	 * its connections.
	 */
	private static final ClientResources SHARED = new ClientResources();

	final StateStoreConnection connection;

	private final KeyWatches watches;

	final StateStoreTemplate template;

	Client(int port) {
		this(options(port));
	}

	Client(ConnectionOptions.Builder options) {
		this.connection = new StateStoreConnection(options.startTimeout(Duration.ofSeconds(20)).build(), SHARED);
		this.watches = new KeyWatches(this.connection, WatchOptions.DEFAULT, null, StateStoreObservability.NONE,
				SHARED);
		this.template = new StateStoreTemplate(this.connection, null, this.watches);
		this.connection.start();
	}

	static ConnectionOptions.Builder options(int port) {
		return ConnectionOptions.builder().host("localhost").port(port);
	}

	@Override
	public void close() {
		this.watches.close();
		this.connection.stop();
	}

}
