package io.statestore.history;

import java.time.Duration;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.MqttCommandInvoker;
import io.statestore.client.mqtt.StateStoreConnection;

/** Client of a broker. */
final class Client implements AutoCloseable {

	final StateStoreTemplate template;

	private final StateStoreConnection connection;

	Client(int port, String clientId) {
		this.connection = new StateStoreConnection(ConnectionOptions.builder()
			.host("localhost")
			.port(port)
			.clientId(clientId)
			.startTimeout(Duration.ofSeconds(20))
			.requestTimeout(Duration.ofSeconds(5))
			.build());
		this.template = new StateStoreTemplate(new MqttCommandInvoker(this.connection));
		this.connection.start();
	}

	@Override
	public void close() {
		this.connection.stop();
	}

}
