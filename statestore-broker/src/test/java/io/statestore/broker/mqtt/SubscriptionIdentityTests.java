package io.statestore.broker.mqtt;

import java.io.IOException;
import java.util.List;
import java.util.Objects;

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

/** Subscriptions that differ only in part. */
class SubscriptionIdentityTests extends MqttBrokerTest {

	/** Subscription options (MQTT 5 section 3.8.3.1). */
	private static final int QOS_1_NO_LOCAL = 0x05;

	private static final RawProperty LASTING = PropertyType.SESSION_EXPIRY_INTERVAL.of(100);

	@ParameterizedTest
	@CsvSource({ "a, b/c, b/c, a.b, c, c", "x, t, t, other, $share/x/t, t", "y, $share/a/b/c, b/c, z, $share/a.b/c, c",
			"q, /s, /s, q., s, s", "v, $share/$sys/w, w, $sys, w, w" })
	void eachSubscriberReceivesItsMessages(String id, String filter, String topic, String otherId, String otherFilter,
			String otherTopic) throws Exception {
		try (RawMqttConnection client = client(id);
				RawMqttConnection other = client(otherId);
				RawMqttConnection publisher = client("p")) {
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

	private static void assertReceives(RawMqttConnection client, List<String> payloads) throws IOException {
		for (String payload : payloads) {
			assertThat(client.receivePublish().text()).isEqualTo(payload);
		}
	}

	@Test
	void sharedSubscriptionsReceiveNoRetainedMessages() throws Exception {
		try (RawMqttConnection publisher = client("p"); RawMqttConnection sharer = client("s")) {
			publisher.send(retained(publisher, "t", 1, "kept"));
			assertThat(publisher.receiveReason(PacketType.PUBACK)).isZero();
			sharer.subscribed("$share/$sys/mqtt/retain/t", 1);
			sharer.ping();
			publisher.send(publisher.subscribe("t", 1));
			RawPacket first = publisher.receive();
			RawPacket second = publisher.receive();
			RawPacket message = (first instanceof RawControl) ? second : first;
			assertThat(((RawPublish) message).text()).isEqualTo("kept");
		}
	}

	@Test
	void dottedClientIdContinuesSession() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("my.client/1", LASTING);
			client.subscribed("t", 1);
			client.subscribed("$share/my.group/u", 1);
		}
		try (RawMqttConnection publisher = client("p")) {
			publisher.send(publisher.publish("t", 1, "1"), publisher.publish("u", 1, "2"));
			publisher.receiveReason(PacketType.PUBACK);
			publisher.receiveReason(PacketType.PUBACK);
		}
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			RawControl connack = client.connect(RawConnect.of("my.client/1", LASTING).cleanStart(false));
			assertThat(connack.sessionPresent()).isTrue();
			assertThat(client.receivePublish().text() + client.receivePublish().text()).matches("12|21");
			client.unsubscribed("$share/my.group/u");
			client.send(client.publish("u", 0, "3"));
			client.ping();
		}
	}

	@Test
	void assignedClientIdContinuesSession() throws Exception {
		String assigned;
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assigned = client.connect("", LASTING).text(PropertyType.ASSIGNED_CLIENT_IDENTIFIER);
			assertThat(assigned).isNotEmpty();
		}
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of(Objects.requireNonNull(assigned), LASTING).cleanStart(false))
				.sessionPresent()).isTrue();
		}
	}

	@Test
	void continuingSessionNeedsClientId() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("", LASTING).cleanStart(false)).reason()).isEqualTo(0x85);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "$share/x", "$share/x/", "$share//t", "$share/x+/t", "$share/#/t" })
	void refusesInvalidShareName(String filter) throws Exception {
		try (RawMqttConnection client = client("f")) {
			client.send(client.subscribe(filter, 1));
			assertThat(client.receive(PacketType.SUBACK).reasons()).containsExactly(0x8F);
			client.unsubscribed(filter);
			client.ping();
		}
	}

	@Test
	void invalidFilterDoesNotNameOtherSubscription() throws Exception {
		try (RawMqttConnection client = client("f2")) {
			client.subscribed("$share/a.b/t", 1);
			client.send(client.subscribe("$share/a+b/t", 1));
			assertThat(client.receive(PacketType.SUBACK).reasons()).containsExactly(0x8F);
			client.unsubscribed("$share/a+b/t");
			client.send(client.publish("t", 0, "x"));
			assertReceives(client, List.of("x"));
		}
	}

	@Test
	void receivesMessageOnceForEachShareName() throws Exception {
		try (RawMqttConnection client = client("f3")) {
			client.subscribed("t", 1);
			client.send(client.subscribe(List.of("$share/g/t", "$share/g/u", "$share/h/u")));
			assertThat(client.receive(PacketType.SUBACK).reasons()).containsExactly(1, 1, 1);
			client.send(client.publish("t", 0, "x"));
			assertReceives(client, List.of("x", "x"));
			client.send(client.publish("u", 0, "y"));
			assertReceives(client, List.of("y", "y"));
			client.unsubscribed("t");
			client.unsubscribed("$share/h/u");
			client.send(client.publish("t", 0, "z"), client.publish("u", 0, "z"));
			assertReceives(client, List.of("z", "z"));
			client.ping();
		}
	}

	@Test
	void changesShareNameWithoutWaitingForAnswer() throws Exception {
		try (RawMqttConnection client = client("f5")) {
			for (String name : List.of("$share/g/", "$share/h/", "")) {
				client.send(client.subscribe(name + "t", 1), client.unsubscribe(name + "t"));
			}
			for (int i = 0; i < 3; i++) {
				assertThat(client.receive(PacketType.SUBACK).reasons()).containsExactly(1);
				client.receive(PacketType.UNSUBACK);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "O'Brien", "%27", "x' OR 'y' = 'y", "100%" })
	void doesNotReceiveOwnMessagesWithNoLocal(String clientId) throws Exception {
		try (RawMqttConnection client = client(clientId); RawMqttConnection other = client("other")) {
			client.send(client.subscribe("t", QOS_1_NO_LOCAL));
			assertThat(client.receive(PacketType.SUBACK).reasons()).containsExactly(1);
			client.send(client.publish("t", 1, "own"));
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			other.send(other.publish("t", 0, "other"));
			assertReceives(client, List.of("other"));
		}
	}

}
