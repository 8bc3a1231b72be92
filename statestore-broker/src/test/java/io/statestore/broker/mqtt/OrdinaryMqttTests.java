package io.statestore.broker.mqtt;

import java.util.ArrayList;
import java.util.List;

import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawProperty;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ordinary MQTT messages and sessions, which pass through this project's channel
 * handlers.
 */
class OrdinaryMqttTests extends MqttBrokerTest {

	private static final RawProperty SESSION_EXPIRY = PropertyType.SESSION_EXPIRY_INTERVAL.of(100);

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2 })
	void deliversMessagesWithEveryQos(int qos) throws Exception {
		try (RawMqttConnection publisher = client("o1"); RawMqttConnection subscriber = client("o2")) {
			subscriber.subscribed("a/+/c", 2);
			RawPublish message = publisher.publish("a/b/c", qos, "hello");
			publisher.send(message);
			if (qos == 1) {
				assertThat(publisher.receiveReason(PacketType.PUBACK)).isZero();
			}
			if (qos == 2) {
				assertThat(publisher.receiveReason(PacketType.PUBREC)).isZero();
				publisher.send(RawControl.acknowledgment(PacketType.PUBREL, message.packetId));
				assertThat(publisher.receiveReason(PacketType.PUBCOMP)).isZero();
			}
			RawPublish received = subscriber.receivePublish();
			assertThat(received.text()).isEqualTo("hello");
			assertThat(received.qos).isEqualTo(qos);
			if (qos == 2) {
				int packetId = received.packetId;
				subscriber.send(RawControl.acknowledgment(PacketType.PUBREC, packetId));
				assertThat(subscriber.receiveReason(PacketType.PUBREL)).isZero();
				subscriber.send(RawControl.acknowledgment(PacketType.PUBCOMP, packetId));
			}
			subscriber.ping();
		}
	}

	/** MQTT 5 section 3.3.2.3.5. */
	@ParameterizedTest
	@ValueSource(strings = { "", "a/+", "#", "a\0b" })
	void disconnectsPublisherWithInvalidResponseTopic(String responseTopic) throws Exception {
		try (RawMqttConnection publisher = client("o18"); RawMqttConnection subscriber = client("o19")) {
			subscriber.subscribed("a", 1);
			publisher.send(publisher.publish("a", 1, "refused", PropertyType.RESPONSE_TOPIC.of(responseTopic)));
			assertThat(publisher.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x81);
			subscriber.send(subscriber.publish("a", 0, "end", PropertyType.RESPONSE_TOPIC.of("b")));
			RawPublish received = subscriber.receivePublish();
			assertThat(received.text()).isEqualTo("end");
			assertThat(received.responseTopic).isEqualTo("b");
		}
	}

	@Test
	void deliversLargeMessage() throws Exception {
		try (RawMqttConnection client = client("o3")) {
			client.subscribed("large", 0);
			String text = "x".repeat(MAX_PACKET_SIZE - 100);
			client.send(client.publish("large", 0, text));
			assertThat(client.receivePublish().text()).isEqualTo(text);
		}
	}

	@Test
	void deliversRetainedMessage() throws Exception {
		try (RawMqttConnection publisher = client("o4"); RawMqttConnection subscriber = client("o5")) {
			retain(publisher, "k");
			subscriber.send(subscriber.subscribe("kept", 1));
			List<RawPacket> received = List.of(subscriber.receive(), subscriber.receive());
			assertThat(received.stream().map((message) -> message.type())).containsExactlyInAnyOrder(PacketType.SUBACK,
					PacketType.PUBLISH);
			assertThat(received).anyMatch((packet) -> packet instanceof RawPublish message && message.retain);
		}
	}

	private static void retain(RawMqttConnection client, String text) throws Exception {
		client.send(retained(client, "kept", 1, text));
		assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
	}

	@Test
	void continuesSessionAfterReconnect() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("o6", SESSION_EXPIRY);
			client.subscribed("news", 1);
		}
		this.server.nextEvents(2);
		try (RawMqttConnection publisher = client("o7")) {
			for (int i = 0; i < 3; i++) {
				publisher.send(publisher.publish("news", 1, "n" + i));
				assertThat(publisher.receiveReason(PacketType.PUBACK)).isZero();
			}
		}
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("o6", SESSION_EXPIRY).cleanStart(false)).sessionPresent()).isTrue();
			for (int i = 0; i < 3; i++) {
				RawPublish message = client.receivePublish();
				assertThat(message.text()).isEqualTo("n" + i);
				client.acknowledge(message);
			}
			client.ping();
		}
	}

	@Test
	void refusedAuthenticationKeepsSession() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("o17", SESSION_EXPIRY);
			client.subscribed("news", 1);
		}
		var method = PropertyType.AUTHENTICATION_METHOD.of("SCRAM-SHA-1");
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect("o17", method).reason()).isEqualTo(0x8C);
			client.assertClosed();
		}
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("o17", SESSION_EXPIRY).cleanStart(false)).sessionPresent())
				.isTrue();
		}
	}

	@Test
	void deliversToOneSharedSubscriptionMember() throws Exception {
		try (RawMqttConnection publisher = client("o8");
				RawMqttConnection one = client("o9");
				RawMqttConnection two = client("o10")) {
			one.subscribed("$share/group/work", 1);
			two.subscribed("$share/group/work", 1);
			for (int i = 0; i < 10; i++) {
				publisher.send(publisher.publish("work", 1, "w" + i));
				assertThat(publisher.receiveReason(PacketType.PUBACK)).isZero();
			}
			List<String> received = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				received.add(one.receivePublish().text());
				received.add(two.receivePublish().text());
			}
			assertThat(received).doesNotHaveDuplicates().hasSize(10);
		}
	}

	@Test
	void publishesWillAfterBrokenConnection() throws Exception {
		assertWillArrives("o11");
	}

	@Test
	void publishesWillOfPersistentSession() throws Exception {
		assertWillArrives("o12", SESSION_EXPIRY);
	}

	@Test
	void publishesWillWhenServerDisconnectsClient() throws Exception {
		try (RawMqttConnection watcher = client("watcher"); RawMqttConnection client = connectWithWill("o13")) {
			watcher.subscribed("wills/+", 1);
			this.server.connection("o13").disconnect(0x97, "test");
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x97);
			assertThat(watcher.receivePublish().topic).isEqualTo("wills/o13");
		}
	}

	@ParameterizedTest
	@CsvSource({ "5, 100, true, false", "5, 100, true, true", "5, 100, false, false", "5, 100, false, true",
			"5, 0, false, false", "5, 0, false, true", "4, 0, false, false", "4, 0, false, true" })
	void publishesWillOnceWhenClientConnectsAgain(int version, long expiry, boolean closed, boolean cleanStart)
			throws Exception {
		RawProperty[] properties = (version == 5)
				? new RawProperty[] { PropertyType.SESSION_EXPIRY_INTERVAL.of(expiry) } : new RawProperty[0];
		try (RawMqttConnection watcher = client("watcher");
				RawMqttConnection first = new RawMqttConnection(this.broker.port());
				RawMqttConnection second = new RawMqttConnection(this.broker.port())) {
			watcher.subscribed("wills/+", 1);
			first.connect(RawConnect.of("o17", properties).version(version).cleanStart(false).will("wills/o17"));
			if (closed) {
				first.close();
			}
			second.connect(RawConnect.of("o17", properties).version(version).cleanStart(cleanStart));
			RawPublish will = watcher.receivePublish();
			assertThat(will.topic).isEqualTo("wills/o17");
			watcher.acknowledge(will);
			watcher.send(watcher.publish("wills/end", 0, "end"));
			assertThat(watcher.receivePublish().topic).isEqualTo("wills/end");
		}
	}

	private void assertWillArrives(String clientId, RawProperty... properties) throws Exception {
		try (RawMqttConnection watcher = client("watcher")) {
			watcher.subscribed("wills/+", 1);
			connectWithWill(clientId, properties).close();
			assertThat(watcher.receivePublish().topic).isEqualTo("wills/" + clientId);
		}
	}

	private RawMqttConnection connectWithWill(String clientId, RawProperty... properties) throws Exception {
		RawMqttConnection client = new RawMqttConnection(this.broker.port());
		client.connect(RawConnect.of(clientId, properties).will("wills/" + clientId));
		return client;
	}

	@Test
	void deliversMessageWithOneMonthExpiry() throws Exception {
		try (RawMqttConnection client = client("o15")) {
			client.subscribed("long", 1);
			client.send(client.publish("long", 0, "x", PropertyType.MESSAGE_EXPIRY_INTERVAL.of(30 * 24 * 3600)));
			assertThat(client.receivePublish().text()).isEqualTo("x");
		}
	}

}
