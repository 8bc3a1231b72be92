package io.statestore.broker.artemis.session;

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
import io.netty.handler.codec.mqtt.MqttSubscriptionOption;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.statestore.broker.mqtt.MqttBrokerTest;
import io.statestore.broker.mqtt.RawClient;
import io.statestore.broker.packet.Packets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Subscriptions for which Artemis would use the same queue. */
class QueueNameTests extends MqttBrokerTest {

	private static final int IMPLEMENTATION_SPECIFIC_ERROR = 0x83;

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

	@Test
	void invalidFilterDoesNotNameOtherSubscription() throws Exception {
		try (RawClient client = client("f2")) {
			client.subscribed("$share/a.b/t", 1);
			client.send(client.subscribe("$share/a+b/t", 1));
			assertThat(client.receive(MqttSubAckMessage.class).payload().reasonCodes()).containsExactly(0x8F);
			client.unsubscribed("$share/a+b/t");
			client.send(client.publish("t", 0, "x"));
			assertReceives(client, List.of("x"));
		}
	}

	@Test
	void refusesSameTopicsWithAnotherShareName() throws Exception {
		try (RawClient client = client("f3")) {
			client.subscribed("t", 1);
			assertRefusesShared(client, IMPLEMENTATION_SPECIFIC_ERROR);
			client.send(client.publish("t", 0, "x"));
			assertReceives(client, List.of("x"));
			client.unsubscribed("t");
			client.subscribed("$share/g/t", 1);
			client.subscribed("$share/g/t", 1);
			client.send(client.subscribe("t", 1));
			assertThat(client.receive(MqttSubAckMessage.class).payload().reasonCodes())
				.containsExactly(IMPLEMENTATION_SPECIFIC_ERROR);
			client.send(client.publish("t", 0, "y"));
			assertReceives(client, List.of("y"));
		}
		try (RawClient older = new RawClient(this.broker.port())) {
			older.connect(MqttMessageBuilders.connect()
				.clientId("f4")
				.protocolVersion(MqttVersion.MQTT_3_1_1)
				.cleanSession(true)
				.build());
			older.subscribed("t", 1);
			assertRefusesShared(older, 0x80);
		}
	}

	private static void assertRefusesShared(RawClient client, int reason) throws IOException {
		client.send(MqttMessageBuilders.subscribe()
			.messageId(client.nextPacketId())
			.addSubscription(MqttQoS.AT_LEAST_ONCE, "$share/g/t")
			.addSubscription(MqttQoS.AT_LEAST_ONCE, "$share/g/u")
			.addSubscription(MqttQoS.AT_LEAST_ONCE, "$share/h/u")
			.build());
		assertThat(client.receive(MqttSubAckMessage.class).payload().reasonCodes()).containsExactly(reason, 1, reason);
	}

	@Test
	void changesShareNameWithoutWaitingForAnswer() throws Exception {
		try (RawClient client = client("f5")) {
			for (String name : List.of("$share/g/", "$share/h/", "")) {
				client.send(client.subscribe(name + "t", 1),
						MqttMessageBuilders.unsubscribe()
							.messageId(client.nextPacketId())
							.addTopicFilter(name + "t")
							.build());
			}
			for (int i = 0; i < 3; i++) {
				assertThat(client.receive(MqttSubAckMessage.class).payload().reasonCodes()).containsExactly(1);
				client.receive(MqttUnsubAckMessage.class);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "O'Brien", "%27", "x' OR 'y' = 'y", "100%" })
	void doesNotReceiveOwnMessagesWithNoLocal(String clientId) throws Exception {
		try (RawClient client = client(clientId); RawClient other = client("other")) {
			client.send(MqttMessageBuilders.subscribe()
				.messageId(client.nextPacketId())
				.addSubscription("t",
						new MqttSubscriptionOption(MqttQoS.AT_LEAST_ONCE, true, false,
								MqttSubscriptionOption.RetainedHandlingPolicy.SEND_AT_SUBSCRIBE))
				.build());
			assertThat(client.receive(MqttSubAckMessage.class).payload().reasonCodes()).containsExactly(1);
			client.send(client.publish("t", 1, "own"));
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
			other.send(other.publish("t", 0, "other"));
			assertReceives(client, List.of("other"));
		}
	}

	@Test
	void encodesClientIdsUnambiguously() {
		List<String> clientIds = List.of("'", "%27", "%", "%25", "%2527", "/", "'/");
		assertThat(clientIds.stream().map(QueueNames::clientId)).doesNotHaveDuplicates();
	}

}
