package io.statestore.broker.mqtt;

import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Protection of notification topics. Clients try to reach a watcher on topics that
 * resemble the watcher's own.
 */
class ReservedTopicTests extends MqttBrokerTest {

	private static final String FILTER = Topics.notificationFilter("victim");

	private static final String TOPIC = Topics.notification("victim", Bytes.of("k"));

	static String[] disguises() {
		String dotted = TOPIC.replace('/', '.');
		return new String[] { TOPIC, dotted, dotted + "\\/", dotted + "\\/x", TOPIC + "\\/", "\\/" + dotted,
				TOPIC.replace('/', '\\'), TOPIC.replace("/", "\\/"), TOPIC.replace("/", "\\."),
				TOPIC.replace("/", "\\\\/"), TOPIC.replaceFirst("/", "."), TOPIC.replaceFirst("/", "\\\\/"),
				dotted.replace("statestore", "*") + "\\/", "$sys/mqtt/retain/" + TOPIC, "x::victim." + dotted,
				"x::victim/" + TOPIC, "::victim/" + TOPIC, "end::victim/" + TOPIC, "/" + TOPIC };
	}

	@ParameterizedTest
	@MethodSource("disguises")
	void messageDoesNotReachNotificationSubscriber(String topic) throws Exception {
		try (RawMqttConnection victim = victim(); RawMqttConnection client = client("t1")) {
			client.send(client.publish(topic, 0, "forged"));
			RawPublish again = client.publish(topic, 1, "forged");
			client.send(again);
			client.receiveReason(PacketType.PUBACK);
			assertNothingArrived(victim, client);
		}
	}

	@ParameterizedTest
	@MethodSource("disguises")
	void replyDoesNotReachNotificationSubscriber(String topic) throws Exception {
		try (RawMqttConnection victim = victim(); RawMqttConnection client = client("t2")) {
			if (Topics.isResponseTopicAllowed(topic)) {
				client.send(request(client, "echo", topic));
				client.receiveReason(PacketType.PUBACK);
				assertNothingArrived(victim, client);
			}
		}
	}

	@Test
	void refusesMessageOnTopicWithLeadingDollar() throws Exception {
		var session = PropertyType.SESSION_EXPIRY_INTERVAL.of(100);
		try (RawMqttConnection holder = new RawMqttConnection(this.broker.port())) {
			holder.connect("holder", session);
			holder.send(holder.subscribe("$sys/mqtt/retain/" + TOPIC, 1));
			holder.receive();
		}
		try (RawMqttConnection client = client("t4")) {
			RawPublish forged = client.publish("$sys/mqtt/retain/" + TOPIC, 1, "forged");
			client.send(forged);
			assertThat(client.receiveReason(PacketType.PUBACK)).isEqualTo(0x87);
			try (RawMqttConnection victim = victim()) {
				assertNothingArrived(victim, client);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "$SYS/x", "$", Topics.RESERVED_PREFIX, Topics.RESERVED_PREFIX + "x" })
	void refusesMessageOnReservedTopic(String topic) throws Exception {
		try (RawMqttConnection client = client("t5")) {
			client.send(client.publish(topic, 1, "x"));
			assertThat(client.receiveReason(PacketType.PUBACK)).isEqualTo(0x87);
			client.ping();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "wills/+", "#", "$SYS/x", Topics.RESERVED_PREFIX + "/x", Topics.REQUEST })
	void refusesWillOnReservedTopic(String topic) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			RawControl connack = client.connect(RawConnect.of("t6").will(topic));
			assertThat(connack.reason()).isEqualTo(0x87);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a.b", "a*b", "a/$b", "a/.b", "a\\/b", "a\\b", "a::b", "::", "\\$SYS/x" })
	void deliversMessageOnSimilarTopic(String topic) throws Exception {
		try (RawMqttConnection client = client("t7")) {
			client.subscribed("#", 0);
			client.send(client.publish(topic, 0, "x"));
			assertThat(client.receivePublish().topic).isEqualTo(topic);
		}
	}

	@ParameterizedTest
	@CsvSource({ "a::b, a::b", "a::b/#, a::b/c", "$share/group/a::b, a::b", "$share/a::b/c, c", "a\\/+, a\\/b" })
	void deliversMessageToSimilarFilter(String filter, String topic) throws Exception {
		try (RawMqttConnection client = client("x::victim")) {
			client.send(client.subscribe(List.of("a", filter)));
			assertThat(client.receive(PacketType.SUBACK).reasons()).containsExactly(1, 1);
			client.send(client.publish(topic, 0, "x"));
			assertThat(client.receivePublish().topic).isEqualTo(topic);
		}
	}

	/** Connects a watcher that also receives the message that ends a test. */
	private RawMqttConnection victim() throws Exception {
		RawMqttConnection victim = client("victim");
		victim.subscribed(FILTER, 1);
		victim.subscribed(TOPIC, 1);
		victim.subscribed(Topics.RESERVED_PREFIX + "/#", 1);
		victim.subscribed("end", 1);
		return victim;
	}

	private static void assertNothingArrived(RawMqttConnection victim, RawMqttConnection client) throws Exception {
		client.ping();
		victim.ping();
		client.send(client.publish("end", 0, "end"));
		assertThat(victim.receivePublish().topic).isEqualTo("end");
		victim.ping();
	}

}
