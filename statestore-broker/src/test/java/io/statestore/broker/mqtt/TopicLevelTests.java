package io.statestore.broker.mqtt;

import java.util.List;

import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Topics and filters with more levels than the broker accepts. */
class TopicLevelTests extends MqttBrokerTest {

	private static final int MQTT_3_1_1 = 4;

	private static final int TOO_MANY = 129;

	private static final int NO_SUBSCRIPTION = 0x11;

	@ParameterizedTest
	@ValueSource(strings = { "a/", "+/", "/" })
	void refusesDeepFilter(String level) throws Exception {
		try (RawMqttConnection client = client("deep")) {
			for (int levels : new int[] { TOO_MANY, 15_000, 32_000 }) {
				String filter = level.repeat(levels - 1) + "b";
				assertThat(subscribe(client, filter)).isEqualTo(0x8F);
				assertThat(subscribe(client, "$share/group/" + filter)).isEqualTo(0x8F);
			}
			assertThat(subscribe(client, level.repeat(127) + "b")).isEqualTo(1);
			assertThat(subscribe(client, "$share/a.group/" + level.repeat(127) + "c")).isEqualTo(1);
		}
		assertServes();
	}

	@Test
	void acceptsFilterNextToDeepFilter() throws Exception {
		try (RawMqttConnection client = client("deep")) {
			client.send(client.subscribe(List.of("a", "a/".repeat(15_000) + "#", "b")));
			assertThat(client.receive(PacketType.SUBACK).reasons()).containsExactly(1, 0x8F, 1);
		}
		assertServes();
	}

	@Test
	void unsubscribeFromDeepFilterFindsNone() throws Exception {
		try (RawMqttConnection client = client("deep")) {
			client.send(client.unsubscribe("a/".repeat(30_000) + "#"));
			assertThat(client.receiveReason(PacketType.UNSUBACK)).isEqualTo(NO_SUBSCRIPTION);
		}
		assertServes();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/", "/" })
	void refusesMessageOnDeepTopic(String level) throws Exception {
		try (RawMqttConnection client = client("deep"); RawMqttConnection listener = client("listener")) {
			listener.subscribed("#", 0);
			for (int levels : new int[] { TOO_MANY, 32_000 }) {
				String topic = level.repeat(levels - 1) + "b";
				client.send(client.publish(topic, 0, "ignored"), retained(client, topic, 0, "ignored"),
						retained(client, topic, 1, "refused"));
				assertThat(client.receiveReason(PacketType.PUBACK)).isEqualTo(0x90);
				client.send(client.publish(topic, 2, "refused"));
				assertThat(client.receiveReason(PacketType.PUBREC)).isEqualTo(0x90);
			}
			client.send(client.publish(level.repeat(127) + "b", 1, "accepted"));
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			assertThat(listener.receivePublish().text()).isEqualTo("accepted");
		}
		assertServes();
	}

	@ParameterizedTest
	@ValueSource(ints = { TOO_MANY, 30_000 })
	void refusesWillOnDeepTopic(int levels) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("deep").will("a/".repeat(levels - 1) + "b")).reason())
				.isEqualTo(0x90);
		}
		assertServes();
	}

	@ParameterizedTest
	@ValueSource(strings = { ".", "/" })
	void onlySlashesInTopicsSeparateLevels(String separator) throws Exception {
		String clientId = separator.repeat(1_000);
		try (RawMqttConnection client = client(clientId); RawMqttConnection publisher = client("publisher")) {
			client.subscribed("+/" + "a.".repeat(1_000), 2);
			publisher.send(publisher.publish("t/" + "a.".repeat(1_000), 2, "hello"));
			assertThat(client.receivePublish().text()).isEqualTo("hello");
		}
		assertServes();
	}

	@Test
	void refusesDeepTopicsBeforeMqtt5() throws Exception {
		String topic = "a/".repeat(30_000) + "b";
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect(RawConnect.of("old").version(MQTT_3_1_1));
			assertThat(subscribe(client, topic)).isEqualTo(0x80);
			client.send(client.publish(topic, 0, "ignored"));
			client.ping();
			client.send(client.publish(topic, 1, "refused"));
			client.assertClosed();
		}
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("old").version(MQTT_3_1_1).will(topic)).reason()).isEqualTo(5);
		}
		assertServes();
	}

	private static int subscribe(RawMqttConnection client, String filter) throws Exception {
		client.send(client.subscribe(filter, 1));
		return client.receiveReason(PacketType.SUBACK);
	}

	private void assertServes() throws Exception {
		try (RawMqttConnection other = client("other")) {
			other.subscribed("t", 0);
			other.send(other.publish("t", 0, "hello"));
			assertThat(other.receivePublish().text()).isEqualTo("hello");
		}
	}

}
