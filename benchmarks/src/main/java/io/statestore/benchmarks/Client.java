package io.statestore.benchmarks;

import java.time.Duration;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.MqttCommandInvoker;
import io.statestore.client.mqtt.MqttNotificationSource;
import io.statestore.client.history.StateHistory;
import io.statestore.client.mqtt.AdministrationClient;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.Transport;
import io.statestore.client.watch.KeyWatches;

/** Our client, set up as in an application. */
final class Client implements AutoCloseable {

	private final StateStoreConnection connection;

	private final KeyWatches watches;

	final StateStoreTemplate template;

	Client(int port) {
		this(port, Transport.PAHO);
	}

	Client(int port, Transport transport) {
		this(ConnectionOptions.builder().host("127.0.0.1").port(port).transport(transport));
	}

	Client(ConnectionOptions.Builder options) {
		this.connection = new StateStoreConnection(options.startTimeout(Duration.ofSeconds(20)).build());
		MqttCommandInvoker invoker = new MqttCommandInvoker(this.connection);
		this.watches = new KeyWatches(new MqttNotificationSource(this.connection), invoker);
		this.template = new StateStoreTemplate(invoker, null, this.watches);
		this.connection.start();
	}

	StateHistory history() {
		return new StateHistory(new AdministrationClient(this.connection), Duration.ofSeconds(10));
	}

	@Override
	public void close() {
		this.watches.close();
		this.connection.stop();
	}

}
