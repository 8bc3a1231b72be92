package io.statestore.client.mqtt;

import java.time.Duration;

import io.statestore.test.Mosquitto;

/** Options of connections to brokers of tests. */
public final class TestOptions {

	private TestOptions() {
	}

	/** Options of a connection to a Mosquitto. */
	public static ConnectionOptions.Builder of(Mosquitto mosquitto) {
		return ConnectionOptions.builder()
			.host("127.0.0.1")
			.port(mosquitto.port())
			.reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(200));
	}

}
