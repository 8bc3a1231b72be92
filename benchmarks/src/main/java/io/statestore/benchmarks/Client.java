package io.statestore.benchmarks;

import java.time.Duration;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.Transport;
import io.statestore.client.watch.KeyWatches;

/** Our client, set up as in an application. */
final class Client implements AutoCloseable {

	/** The transport for many calls at once. */
	static final Transport FAST = Transport.NETTY;

	final StateStoreConnection connection;

	private final KeyWatches watches;

	final StateStoreTemplate template;

	Client(int port) {
		this(options(port));
	}

	Client(ConnectionOptions.Builder options) {
		this.connection = new StateStoreConnection(options.startTimeout(Duration.ofSeconds(20)).build());
		this.watches = new KeyWatches(this.connection);
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
