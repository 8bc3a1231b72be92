package io.statestore.broker.mqtt;

import java.io.IOException;
import java.util.List;
import java.util.Objects;

import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.statestore.broker.packet.Packets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Subscriptions for which Artemis would use the same queue. */
class QueueNameTests extends MqttBrokerTest {

	private static final IntegerProperty LASTING = RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 100);

	@ParameterizedTest
	@CsvSource({ "a, b/c, b/c, a.b, c, c", "x, t, t, other, $share/x/t, t", "y, $share/a/b/c, b/c, z, $share/a.b/c, c",
			"q, /s, /s, q., s, s", "v, $share/$sys/w, w, $sys, w, w" })
	void eachSubscriberReceivesItsMessages(String id, String filter, String topic, String otherId, String otherFilter,
			String otherTopic) throws Exception {
		try (RawClient client = client(id); RawClient other = client(otherId); RawClient publisher = client("p")) {
			client.subscribed(filter, 1);
			other.subscribed(otherFilter, 1);
			for (int i = 0; i < 4; i++) {
				publisher.send(publisher.publish(topic, 0, "first"), publisher.publish(otherTopic, 0, "second"));
				boolean both = topic.equals(otherTopic);
				assertReceives(client, both ? List.of("first", "second") : List.of("first"));
				assertReceives(other, both ? List.of("first", "second") : List.of("second"));
			}
			client.unsubscribed(filter);
			publisher.send(publisher.publish(otherTopic, 0, "last"));
			assertReceives(other, List.of("last"));
			client.ping();
		}
	}

	private static void assertReceives(RawClient client, List<String> payloads) throws IOException {
		for (String payload : payloads) {
			assertThat(RawClient.text(client.receivePublish())).isEqualTo(payload);
		}
	}

	@Test
	void sharersDoNotReceiveRetainedMessagesOfOthers() throws Exception {
		try (RawClient publisher = client("p"); RawClient sharer = client("s")) {
			MqttPublishMessage retained = MqttMessageBuilders.publish()
				.topicName("t")
				.retained(true)
				.qos(MqttQoS.AT_LEAST_ONCE)
				.messageId(publisher.nextPacketId())
				.payload(publisher.publish("t", 0, "kept").payload())
				.build();
			publisher.send(retained);
			assertThat(publisher.receiveReason(MqttMessageType.PUBACK)).isZero();
			sharer.subscribed("$share/$sys/mqtt/retain/t", 1);
			sharer.ping();
			publisher.send(publisher.subscribe("t", 1));
			MqttMessage first = publisher.receive();
			MqttMessage second = publisher.receive();
			MqttMessage message = (first instanceof MqttSubAckMessage) ? second : first;
			assertThat(RawClient.text((MqttPublishMessage) message)).isEqualTo("kept");
		}
	}

	@Test
	void dottedClientIdContinuesSession() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("my.client/1", LASTING);
			client.subscribed("t", 1);
			client.subscribed("$share/my.group/u", 1);
		}
		try (RawClient publisher = client("p")) {
			publisher.send(publisher.publish("t", 1, "1"), publisher.publish("u", 1, "2"));
			publisher.receiveReason(MqttMessageType.PUBACK);
			publisher.receiveReason(MqttMessageType.PUBACK);
		}
		try (RawClient client = new RawClient(this.broker.port())) {
			MqttConnAckMessage connack = client
				.connect(RawClient.connectBuilder("my.client/1", LASTING).cleanSession(false).build());
			assertThat(connack.variableHeader().isSessionPresent()).isTrue();
			assertThat(RawClient.text(client.receivePublish()) + RawClient.text(client.receivePublish()))
				.matches("12|21");
			client.unsubscribed("$share/my.group/u");
			client.send(client.publish("u", 0, "3"));
			client.ping();
		}
	}

	@Test
	void assignedClientIdContinuesSession() throws Exception {
		String assigned;
		try (RawClient client = new RawClient(this.broker.port())) {
			assigned = Packets.property(client.connect("", LASTING).variableHeader().properties(),
					MqttPropertyType.ASSIGNED_CLIENT_IDENTIFIER, String.class);
			assertThat(assigned).isNotEmpty();
		}
		try (RawClient client = new RawClient(this.broker.port())) {
			assertThat(client
				.connect(
						RawClient.connectBuilder(Objects.requireNonNull(assigned), LASTING).cleanSession(false).build())
				.variableHeader()
				.isSessionPresent()).isTrue();
		}
	}

	@Test
	void continuingSessionNeedsClientId() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			assertThat(client.connect(RawClient.connectBuilder("", LASTING).cleanSession(false).build())
				.variableHeader()
				.connectReturnCode()).isEqualTo(MqttConnectReturnCode.CONNECTION_REFUSED_CLIENT_IDENTIFIER_NOT_VALID);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "$share/x", "$share/x/", "$share//t", "$share/x+/t", "$share/#/t", "a\\/b", "x::a.t" })
	void refusesAmbiguousFilter(String filter) throws Exception {
		try (RawClient client = client("f")) {
			client.send(client.subscribe(filter, 1));
			assertThat(client.receive(MqttSubAckMessage.class).payload().reasonCodes()).containsExactly(0x8F);
			client.unsubscribed(filter);
			client.ping();
		}
	}

}
