package io.statestore.test;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The test client itself, with a third-party broker. */
@RequiresProgram("mosquitto")
class RawMqttClientTests {

	private static Mosquitto mosquitto;

	@BeforeAll
	static void start() {
		mosquitto = Mosquitto.start();
	}

	@AfterAll
	static void stop() {
		if (mosquitto != null) {
			mosquitto.close();
		}
	}

	@Test
	void sendsAndReceivesEveryProperty() {
		RawMqttClient client = RawMqttClient.connect(mosquitto.port(), "c1");
		assertThat(client.subscribe("a/b")).isEqualTo(1);
		RawPublish sent = RawPublish.of((publish) -> {
			publish.topic = "a/b";
			publish.payload = new byte[20_000];
			publish.responseTopic = "r";
			publish.correlationData = new byte[] { 0, 1, 2 };
			publish.messageExpiry = 100_000L;
			publish.contentType = "application/octet-stream";
			publish.payloadFormat = 0L;
			publish.with("a", "1").with("a", "2").with("b", "ü");
		});

		assertThat(client.puback(client.send(sent))).isZero();

		RawPublish received = client.take((message) -> true, "message");
		assertThat(received).usingRecursiveComparison().ignoringFields("packetId", "payloadFormat").isEqualTo(sent);
		client.close();
	}

	@Test
	void reportsReasonCodes() {
		RawMqttClient client = RawMqttClient.connect(mosquitto.port(), "c2");
		RawPublish publish = RawPublish.of((message) -> message.topic = "nobody/listens");

		assertThat(client.puback(client.send(publish))).isEqualTo(0x10);
		assertThat(client.unsubscribe("never/subscribed")).isEqualTo(0x11);
		client.send(RawPublish.of((message) -> message.topic = ""));
		assertThat(client.awaitDisconnect()).isEqualTo(0x82);
		client.awaitEnd();
	}

	@Test
	void takesOverAndKeepsSessions() {
		RawMqttClient client = RawMqttClient.connect(mosquitto.port(), "c2");
		RawMqttClient takingOver = RawMqttClient.connect(mosquitto.port(), "c2", false, 100);
		client.awaitEnd();
		assertThat(takingOver.sessionPresent()).isFalse();
		takingOver.drop();
		RawMqttClient again = RawMqttClient.connect(mosquitto.port(), "c2", false, 0);
		assertThat(again.sessionPresent()).isTrue();
		again.close();
	}

	@Test
	void connectionEndFailsWaitingCalls() {
		RawMqttClient client = RawMqttClient.connect(mosquitto.port(), "c3");
		client.drop();

		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> client.puback(1))
			.withMessageContaining("ended before");
	}

}
