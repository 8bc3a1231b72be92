package io.statestore.broker.mqtt;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

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

import static org.assertj.core.api.Assertions.assertThat;

/** MQTT 5 features in which brokers differ, for any broker. */
abstract class MqttFeatureTest {

	private static final int NO_LOCAL = 1 << 2;

	private static final int RETAIN_HANDLING = 4;

	private static final int TOPIC_ALIAS_INVALID = 0x94;

	private static final int KEEP_ALIVE_TIMEOUT = 0x8D;

	/** Returns the port of the broker. */
	abstract int port();

	private RawMqttConnection client(String clientId, RawProperty... properties) throws Exception {
		RawMqttConnection client = new RawMqttConnection(port());
		assertThat(client.connect(clientId, properties).reason()).isZero();
		return client;
	}

	private static void retain(RawMqttConnection client, String topic, String payload) throws Exception {
		RawPublish message = client.publish(topic, 1, payload);
		message.retain = true;
		client.send(message);
		client.receiveReason(PacketType.PUBACK);
	}

	private static List<String> receivedBefore(RawMqttConnection client, String last) throws Exception {
		List<String> received = new ArrayList<>();
		for (RawPublish next = client.receivePublish(); !next.text().equals(last); next = client.receivePublish()) {
			received.add(next.text());
		}
		return received;
	}

	@Test
	void noLocalExcludesOwnMessages() throws Exception {
		try (RawMqttConnection client = client("f1"); RawMqttConnection other = client("f2")) {
			client.send(client.subscribe("f1/t", NO_LOCAL));
			client.receive(PacketType.SUBACK);
			client.send(client.publish("f1/t", 0, "own"));
			client.ping();
			other.send(other.publish("f1/t", 0, "last"));
			assertThat(receivedBefore(client, "last")).isEmpty();
		}
	}

	@ParameterizedTest
	@CsvSource({ "0, false", "8, true" })
	void retainAsPublishedKeepsFlag(int options, boolean retained) throws Exception {
		try (RawMqttConnection client = client("f3"); RawMqttConnection other = client("f4")) {
			client.send(client.subscribe("f3/t", options));
			client.receive(PacketType.SUBACK);
			RawPublish message = other.publish("f3/t", 0, "");
			message.retain = true;
			other.send(message);
			assertThat(client.receivePublish().retain).isEqualTo(retained);
		}
	}

	@ParameterizedTest
	@CsvSource({ "0, 2", "1, 1", "2, 0" })
	void retainHandlingSelectsSubscriptions(int handling, int expected) throws Exception {
		assertThat(countOfRetained("f5/" + handling, handling)).isEqualTo(expected);
	}

	/** Subscribes twice and returns how often the retained message is received. */
	private int countOfRetained(String topic, int handling) throws Exception {
		try (RawMqttConnection client = client("f7"); RawMqttConnection other = client("f8")) {
			retain(other, topic, "kept");
			int subacks = 0;
			int messages = 0;
			client.send(client.subscribe(topic, handling << RETAIN_HANDLING));
			client.send(client.subscribe(topic, handling << RETAIN_HANDLING));
			boolean sent = false;
			while (true) {
				RawPacket next = client.receive();
				if (next.type() == PacketType.SUBACK) {
					subacks++;
				}
				else if (((RawPublish) next).text().equals("last")) {
					retain(other, topic, "");
					return messages;
				}
				else {
					messages++;
				}
				if (subacks == 2 && !sent) {
					sent = true;
					other.send(other.publish(topic, 0, "last"));
				}
			}
		}
	}

	@Test
	void requestReachesResponderWithResponseTopicAndCorrelationData() throws Exception {
		try (RawMqttConnection requester = client("f9", PropertyType.REQUEST_RESPONSE_INFORMATION.of(1));
				RawMqttConnection responder = client("f10")) {
			requester.subscribed("f9/response", 1);
			responder.subscribed("f9/request", 1);
			requester.send(requester.publish("f9/request", 1, "ping", PropertyType.RESPONSE_TOPIC.of("f9/response"),
					PropertyType.CORRELATION_DATA.of(new byte[] { 1, 2, 3 })));
			RawPublish request = responder.receivePublish();
			assertThat(request.responseTopic).isEqualTo("f9/response");
			assertThat(request.correlationData).containsExactly(1, 2, 3);
			responder.send(responder.publish("f9/response", 0, "pong"));
			assertThat(requester.receiveReason(PacketType.PUBACK)).isZero();
			assertThat(requester.receivePublish().text()).isEqualTo("pong");
		}
	}

	@Test
	void messageHasAllMatchingSubscriptionIdentifiers() throws Exception {
		try (RawMqttConnection client = client("f11"); RawMqttConnection other = client("f12")) {
			client.subscribed("f11/+", 0, PropertyType.SUBSCRIPTION_IDENTIFIER.of(1));
			client.subscribed("f11/t", 0, PropertyType.SUBSCRIPTION_IDENTIFIER.of(2));
			client.subscribed("f11/t/#", 0);
			other.send(other.publish("f11/t", 0, "x"), other.publish("f11/last", 0, "last"));
			Set<Long> identifiers = new TreeSet<>();
			for (RawPublish next = client.receivePublish(); !next.text().equals("last"); next = client
				.receivePublish()) {
				identifiers.addAll(next.subscriptionIdentifiers);
			}
			assertThat(identifiers).containsExactly(1L, 2L);
		}
	}

	@Test
	void topicAliasWorksOnlyIfOffered() throws Exception {
		try (RawMqttConnection subscriber = client("f13"); RawMqttConnection client = new RawMqttConnection(port())) {
			subscriber.subscribed("f13/t", 0);
			Object maximum = client.connect("f14").property(PropertyType.TOPIC_ALIAS_MAXIMUM);
			boolean offered = maximum != null && ((Number) maximum).longValue() > 0;
			RawPublish first = client.publish("f13/t", 0, "first", PropertyType.TOPIC_ALIAS.of(1));
			client.send(first);
			if (offered) {
				client.send(client.publish("", 0, "second", PropertyType.TOPIC_ALIAS.of(1)));
				assertThat(subscriber.receivePublish().topic).isEqualTo("f13/t");
				assertThat(subscriber.receivePublish().topic).isEqualTo("f13/t");
			}
			else {
				assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(TOPIC_ALIAS_INVALID);
				client.assertClosed();
			}
		}
	}

	@Test
	void silentClientIsDisconnectedAfterKeepAlive() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(port())) {
			RawControl connack = client.connect(RawConnect.of("f15").keepAlive(1));
			assertThat(connack.reason()).isZero();
			assertThat(connack.property(PropertyType.SERVER_KEEP_ALIVE)).isNull();
			assertSilentClientIsDisconnected(client);
		}
	}

	void assertSilentClientIsDisconnected(RawMqttConnection client) throws Exception {
		assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(KEEP_ALIVE_TIMEOUT);
		client.assertClosed();
	}

	@ParameterizedTest
	@CsvSource({ "f16/#/t", "f16+", "f16/t#" })
	void invalidFilterIsNotSubscribed(String filter) throws Exception {
		try (RawMqttConnection client = client("f16")) {
			client.send(client.subscribe(filter, 0));
			RawControl answer = (RawControl) client.receive();
			if (answer.type() == PacketType.SUBACK) {
				assertThat(answer.reasons()).allSatisfy((reason) -> assertThat(reason).isGreaterThanOrEqualTo(0x80));
				client.ping();
			}
			else {
				assertThat(answer.type()).isEqualTo(PacketType.DISCONNECT);
				assertThat(answer.reason()).isGreaterThanOrEqualTo(0x80);
				client.assertClosed();
			}
		}
	}

	@Test
	void receiveMaximumLimitsMessagesWithoutAcknowledgment() throws Exception {
		try (RawMqttConnection client = client("f17", PropertyType.RECEIVE_MAXIMUM.of(2));
				RawMqttConnection other = client("f18")) {
			client.subscribed("f17/t", 1);
			for (int i = 0; i < 5; i++) {
				other.send(other.publish("f17/t", 1, String.valueOf(i)));
				other.receiveReason(PacketType.PUBACK);
			}
			assertLimitedToTwo(client);
		}
	}

	void assertLimitedToTwo(RawMqttConnection client) throws Exception {
		RawPublish first = client.receivePublish();
		RawPublish second = client.receivePublish();
		// Nothing precedes the answer.
		client.ping();
		client.acknowledge(first);
		assertThat(client.receivePublish().text()).isEqualTo("2");
		client.ping();
		client.acknowledge(second);
		assertThat(client.receivePublish().text()).isEqualTo("3");
		client.ping();
	}

	@ParameterizedTest
	@CsvSource({ "true", "false" })
	void willIsPublishedAfterItsDelayUnlessClientReturns(boolean returns) throws Exception {
		String clientId = "f19-" + returns;
		RawPublish will = RawPublish.of((message) -> {
			message.topic = "f19/" + returns;
			message.willDelay = 1L;
		});
		try (RawMqttConnection watcher = client("f20-" + returns)) {
			watcher.subscribed(will.topic, 0);
			long start = System.nanoTime();
			try (RawMqttConnection client = new RawMqttConnection(port())) {
				client.connect(RawConnect.of(clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(100)).will(will));
				client.reset();
			}
			if (!returns) {
				assertThat(watcher.receivePublish().topic).isEqualTo(will.topic);
				assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(900));
				return;
			}
			try (RawMqttConnection client = new RawMqttConnection(port())) {
				client.connect(RawConnect.of(clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(0)).cleanStart(false));
				// Longer than the delay.
				Thread.sleep(2_000);
				client.send(client.publish(will.topic, 0, "last"));
				assertThat(receivedBefore(watcher, "last")).isEmpty();
			}
		}
	}

	@Test
	void sharedSubscriptionMembersReceiveEachMessageOnce() throws Exception {
		try (RawMqttConnection first = client("f21");
				RawMqttConnection second = client("f22");
				RawMqttConnection all = client("f23");
				RawMqttConnection other = client("f24")) {
			first.subscribed("$share/g/f21/#", 0);
			second.subscribed("$share/g/f21/#", 0);
			first.subscribed("f21-end", 0);
			second.subscribed("f21-end", 0);
			all.subscribed("f21/#", 0);
			for (int i = 0; i < 10; i++) {
				other.send(other.publish("f21/t", 0, String.valueOf(i)));
			}
			for (int i = 0; i < 10; i++) {
				assertThat(all.receivePublish().text()).isEqualTo(String.valueOf(i));
			}
			other.send(other.publish("f21-end", 0, "last"));
			List<String> received = receivedBefore(first, "last");
			assertThat(received).isNotEmpty().hasSizeLessThan(10);
			received.addAll(receivedBefore(second, "last"));
			assertThat(received).containsExactlyInAnyOrder("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
		}
	}

}
