package io.statestore.broker.mqtt;

import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class NotificationTests extends MqttBrokerTest {

	private static final String TOPIC = Topics.notification("n1", Bytes.of("key"));

	@Test
	void deliversWithoutSubscription() throws Exception {
		try (RawClient client = client("n1")) {
			client.send(client.request("notify " + TOPIC, "answers/n1"));
			assertNotification(client);
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
			client.ping();
		}
	}

	@Test
	void deliversOnceWithSeveralSubscriptions() throws Exception {
		try (RawClient client = client("n1")) {
			client.subscribed(Topics.notificationFilter("n1"), 1,
					RawClient.integer(MqttPropertyType.SUBSCRIPTION_IDENTIFIER, 5));
			client.subscribed("#", 0);
			client.send(client.request("notify " + TOPIC, "answers/n1"));
			MqttPublishMessage notification = assertNotification(client);
			assertThat(Packets.property(notification.variableHeader().properties(),
					MqttPropertyType.SUBSCRIPTION_IDENTIFIER, Integer.class))
				.isEqualTo(5);
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
			client.ping();
		}
	}

	private static MqttPublishMessage assertNotification(RawClient client) throws Exception {
		MqttPublishMessage notification = client.receivePublish();
		assertThat(notification.variableHeader().topicName()).isEqualTo(TOPIC);
		assertThat(RawClient.text(notification)).isEqualTo("changed");
		assertThat(notification.fixedHeader().qosLevel().value()).isEqualTo(1);
		return notification;
	}

	@Test
	void deliversToObserverOnly() throws Exception {
		try (RawClient client = client("n1"); RawClient spy = client("spy")) {
			spy.subscribed(Topics.notificationFilter("n1"), 1);
			spy.subscribed("#", 1);
			spy.subscribed(TOPIC, 1);
			client.send(client.request("notify " + TOPIC, "answers/n1"));
			assertNotification(client);
			client.send(client.publish("marker", 0, "end"));
			assertThat(spy.receivePublish().variableHeader().topicName()).isEqualTo("marker");
		}
	}

	@Test
	void keepsOrderAcrossThreads() throws Exception {
		try (RawClient client = client("n1")) {
			ClientConnection connection = this.server.connection("n1");
			for (int i = 0; i < 2_000; i++) {
				connection.send(EchoServer.message(Kind.NOTIFICATION, TOPIC, "m" + i, null));
			}
			for (int i = 0; i < 2_000; i++) {
				MqttPublishMessage notification = client.receivePublish();
				assertThat(RawClient.text(notification)).isEqualTo("m" + i);
			}
		}
	}

	@Test
	void ignoresMessageToEndedConnection() throws Exception {
		ClientConnection connection;
		try (RawClient client = client("n1")) {
			connection = this.server.connection("n1");
		}
		assertThat(this.server.nextEvents(2)).containsExactly("+n1", "-n1");
		connection.send(EchoServer.message(Kind.NOTIFICATION, TOPIC, "late", null));
		connection.disconnect(0x80, "late");
		try (RawClient client = client("n1")) {
			client.ping();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "clients/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/6E31/command/notify/6B",
			"clients/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8",
			"clients/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8-and-more" })
	void refusesForgedNotification(String topic) throws Exception {
		try (RawClient forger = client("forger"); RawClient client = client("n1")) {
			client.subscribed("#", 2);
			forger.send(forger.publish(topic, 0, "forged"));
			forger.send(forger.publish(topic, 1, "forged"));
			assertThat(forger.receiveReason(MqttMessageType.PUBACK)).isEqualTo(0x87);
			forger.send(forger.publish(topic, 2, "forged"));
			assertThat(forger.receiveReason(MqttMessageType.PUBREC)).isEqualTo(0x87);
			forger.send(forger.publish("marker", 0, "end"));
			assertThat(client.receivePublish().variableHeader().topicName()).isEqualTo("marker");
		}
	}

}
