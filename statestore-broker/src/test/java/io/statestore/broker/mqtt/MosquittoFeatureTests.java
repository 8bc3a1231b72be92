package io.statestore.broker.mqtt;

import java.io.EOFException;
import java.time.Duration;

import io.statestore.test.Mosquitto;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Mosquitto, which verifies that the expectations also hold for another broker. */
@RequiresProgram("mosquitto")
class MosquittoFeatureTests extends MqttFeatureTest {

	@AutoClose
	private static Mosquitto mosquitto;

	@BeforeAll
	static void start() {
		mosquitto = Mosquitto.start();
	}

	@Override
	int port() {
		return mosquitto.port();
	}

	/** Mosquitto closes the connection without a DISCONNECT, within a few seconds. */
	@Override
	void assertSilentClientIsDisconnected(RawMqttConnection client) throws Exception {
		assertThatExceptionOfType(EOFException.class).isThrownBy(() -> client.read(Duration.ofSeconds(30)));
	}

	/** Mosquitto 2.0.11 sends one message too many after each acknowledgment. */
	@Override
	void assertLimitedToTwo(RawMqttConnection client) throws Exception {
		RawPublish first = client.receivePublish();
		client.receivePublish();
		client.ping();
		client.acknowledge(first);
		assertThat(client.receivePublish().text()).isEqualTo("2");
	}

}
