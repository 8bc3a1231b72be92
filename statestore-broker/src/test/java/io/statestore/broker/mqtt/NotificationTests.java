package io.statestore.broker.mqtt;

import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class NotificationTests extends MqttBrokerTest {

	private static final String TOPIC = Topics.notification("n1", Bytes.of("key"));

	@Test
	void deliversWithoutSubscription() throws Exception {
		try (RawMqttConnection client = client("n1")) {
			client.send(request(client, "notify " + TOPIC, "answers/n1"));
			assertNotification(client);
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			client.ping();
		}
	}

	@Test
	void deliversOnceWithSeveralSubscriptions() throws Exception {
		try (RawMqttConnection client = client("n1")) {
			client.subscribed(Topics.notificationFilter("n1"), 1, PropertyType.SUBSCRIPTION_IDENTIFIER.of(5));
			client.subscribed("#", 0);
			client.send(request(client, "notify " + TOPIC, "answers/n1"));
			RawPublish notification = assertNotification(client);
			assertThat(notification.subscriptionIdentifiers).containsExactly(5L);
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			client.ping();
		}
	}

	private static RawPublish assertNotification(RawMqttConnection client) throws Exception {
		RawPublish notification = client.receivePublish();
		assertThat(notification.topic).isEqualTo(TOPIC);
		assertThat(notification.text()).isEqualTo("changed");
		assertThat(notification.qos).isEqualTo(1);
		return notification;
	}

	@Test
	void deliversToWatcherOnly() throws Exception {
		try (RawMqttConnection client = client("n1"); RawMqttConnection spy = client("spy")) {
			spy.subscribed(Topics.notificationFilter("n1"), 1);
			spy.subscribed("#", 1);
			spy.subscribed(TOPIC, 1);
			client.send(request(client, "notify " + TOPIC, "answers/n1"));
			assertNotification(client);
			client.send(client.publish("marker", 0, "end"));
			assertThat(spy.receivePublish().topic).isEqualTo("marker");
		}
	}

	@Test
	void keepsOrderAcrossThreads() throws Exception {
		try (RawMqttConnection client = client("n1")) {
			ClientConnection connection = this.server.connection("n1");
			for (int i = 0; i < 2_000; i++) {
				connection.send(EchoServer.message(Kind.NOTIFICATION, TOPIC, "m" + i, null));
			}
			for (int i = 0; i < 2_000; i++) {
				RawPublish notification = client.receivePublish();
				assertThat(notification.text()).isEqualTo("m" + i);
			}
		}
	}

	@Test
	void ignoresMessageToEndedConnection() throws Exception {
		ClientConnection connection;
		try (RawMqttConnection client = client("n1")) {
			connection = this.server.connection("n1");
		}
		assertThat(this.server.nextEvents(2)).containsExactly("+n1", "-n1");
		connection.send(EchoServer.message(Kind.NOTIFICATION, TOPIC, "late", null));
		connection.disconnect(0x80, "late");
		try (RawMqttConnection client = client("n1")) {
			client.ping();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "clients/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/6E31/command/notify/6B",
			"clients/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8",
			"clients/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8-and-more" })
	void refusesForgedNotification(String topic) throws Exception {
		try (RawMqttConnection forger = client("forger"); RawMqttConnection client = client("n1")) {
			client.subscribed("#", 2);
			forger.send(forger.publish(topic, 0, "forged"));
			forger.send(forger.publish(topic, 1, "forged"));
			assertThat(forger.receiveReason(PacketType.PUBACK)).isEqualTo(0x87);
			forger.send(forger.publish(topic, 2, "forged"));
			assertThat(forger.receiveReason(PacketType.PUBREC)).isEqualTo(0x87);
			forger.send(forger.publish("marker", 0, "end"));
			assertThat(client.receivePublish().topic).isEqualTo("marker");
		}
	}

}
