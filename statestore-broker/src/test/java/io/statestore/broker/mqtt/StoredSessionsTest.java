package io.statestore.broker.mqtt;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** MQTT sessions on a broker with a directory, which is restarted during each test. */
abstract class StoredSessionsTest {

	static final int HOUR = 3_600;

	private static final int NO_LOCAL = 4;

	private static final int RETAIN_AS_PUBLISHED = 8;

	private static final int RETAIN_NEVER = 32;

	@TempDir
	Path directory;

	/** Port of the running broker. */
	int port;

	/** Starts the broker and returns its port. */
	abstract int start(StorageOptions storage) throws Exception;

	/** Stops the broker. */
	abstract void stop() throws Exception;

	StorageOptions storage() {
		return StorageOptions.in(this.directory);
	}

	@BeforeEach
	void startBroker() throws Exception {
		this.port = start(storage());
	}

	@AfterEach
	void stopBroker() throws Exception {
		stop();
	}

	void restart() throws Exception {
		stop();
		this.port = start(storage());
	}

	RawMqttConnection client(String clientId) throws Exception {
		return RawMqttConnection.connected(this.port, clientId);
	}

	/** Starts a session that outlives its connection. */
	RawMqttConnection newSession(String clientId) throws Exception {
		RawMqttConnection connection = new RawMqttConnection(this.port);
		RawControl connack = connection
			.connect(RawConnect.of(clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(HOUR)).cleanStart(true));
		assertThat(connack.reason()).isZero();
		assertThat(connack.sessionPresent()).isFalse();
		return connection;
	}

	/** Continues a session, which must exist. */
	RawMqttConnection continued(String clientId) throws Exception {
		RawMqttConnection connection = new RawMqttConnection(this.port);
		assertThat(continueSession(connection, clientId)).as("session present").isTrue();
		return connection;
	}

	/** Continues a session if it exists. Returns whether it exists. */
	static boolean continueSession(RawMqttConnection connection, String clientId) throws Exception {
		RawControl connack = connection
			.connect(RawConnect.of(clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(HOUR)).cleanStart(false));
		assertThat(connack.reason()).isZero();
		return connack.sessionPresent();
	}

	/** Publishes a message and waits for the acknowledgment. */
	static void publish(RawMqttConnection client, String topic, String payload) throws Exception {
		client.send(client.publish(topic, 1, payload));
		assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
	}

	/** Ends a connection and waits until its acknowledgments are stored. */
	private void disconnect(RawMqttConnection client) throws Exception {
		client.send(RawControl.disconnect(0));
		client.assertClosed();
		newSession("later").close();
	}

	static void retain(RawMqttConnection client, String topic, int qos, String payload) throws Exception {
		RawPublish message = client.publish(topic, qos, payload);
		message.retain = true;
		client.send(message);
		if (qos > 0) {
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
		}
		client.ping();
	}

	/**
	 * Verifies that the next message received is a message published now.
	 * @param client a client that has subscribed to the topic
	 */
	void expectNothingBut(RawMqttConnection client, String topic) throws Exception {
		try (RawMqttConnection publisher = client("end")) {
			publish(publisher, topic, "end");
			assertThat(client.receivePublish().text()).isEqualTo("end");
		}
	}

	@Test
	void acceptsRepeatedRequestInResumedSession() throws Exception {
		RawPublish request;
		try (RawMqttConnection client = newSession("requester")) {
			client.subscribed("replies/#", 1, PropertyType.SUBSCRIPTION_IDENTIFIER.of(3));
			request = MqttBrokerTest.request(client, "hello", "replies/x");
			client.send(request);
			client.receivePublish();
		}
		restart();
		try (RawMqttConnection client = continued("requester")) {
			request.dup = true;
			client.send(request);
			RawPublish reply = client.receivePublish();
			assertThat(reply.text()).isEqualTo("hello");
			assertThat(reply.subscriptionIdentifiers).containsExactly(3L);
			assertThat(client.receive(PacketType.PUBACK).packetId()).isEqualTo(request.packetId);
		}
	}

	@Test
	void resumesSessionWithoutSubscriptions() throws Exception {
		newSession("empty").close();
		restart();
		continued("empty").close();
	}

	@Test
	void keepsSubscriptionsWithTheirOptions() throws Exception {
		try (RawMqttConnection client = newSession("options")) {
			client.subscribed("identified/+", 1, PropertyType.SUBSCRIPTION_IDENTIFIER.of(7));
			client.send(client.subscribe("others", 1 | NO_LOCAL));
			client.receive(PacketType.SUBACK);
			client.send(client.subscribe("flagged", 1 | RETAIN_AS_PUBLISHED | RETAIN_NEVER));
			client.receive(PacketType.SUBACK);
		}
		restart();
		try (RawMqttConnection client = continued("options"); RawMqttConnection other = client("other")) {
			publish(other, "identified/x", "1");
			RawPublish identified = client.receivePublish();
			assertThat(identified.subscriptionIdentifiers).containsExactly(7L);
			client.acknowledge(identified);
			retain(other, "flagged", 1, "2");
			RawPublish flagged = client.receivePublish();
			assertThat(flagged.retain).isTrue();
			client.acknowledge(flagged);
			client.send(client.publish("others", 1, "own"));
			client.receive(PacketType.PUBACK);
			publish(other, "others", "foreign");
			assertThat(client.receivePublish().text()).isEqualTo("foreign");
		}
	}

	@Test
	void deliversMessagesQueuedBeforeRestart() throws Exception {
		try (RawMqttConnection client = newSession("queued")) {
			client.subscribed("t", 1);
		}
		try (RawMqttConnection publisher = client("publisher")) {
			publish(publisher, "t", "one");
			publish(publisher, "t", "two");
		}
		restart();
		try (RawMqttConnection client = continued("queued")) {
			for (String expected : List.of("one", "two")) {
				RawPublish message = client.receivePublish();
				assertThat(message.text()).isEqualTo(expected);
				client.acknowledge(message);
			}
			disconnect(client);
		}
		restart();
		try (RawMqttConnection client = continued("queued")) {
			expectNothingBut(client, "t");
		}
	}

	@Test
	void queuesMessagesForAbsentClientAfterRestart() throws Exception {
		try (RawMqttConnection client = newSession("absent")) {
			client.subscribed("t", 1);
		}
		restart();
		try (RawMqttConnection publisher = client("publisher")) {
			publish(publisher, "t", "x");
		}
		try (RawMqttConnection client = continued("absent")) {
			assertThat(client.receivePublish().text()).isEqualTo("x");
		}
	}

	@Test
	void keepsRetainedMessages() throws Exception {
		try (RawMqttConnection publisher = client("publisher")) {
			retain(publisher, "retained/0", 0, "zero");
			retain(publisher, "retained/1", 1, "old");
			retain(publisher, "retained/1", 1, "one");
			retain(publisher, "retained/2", 1, "cleared");
			retain(publisher, "retained/2", 1, "");
		}
		restart();
		try (RawMqttConnection client = client("reader")) {
			RawPublish zero = retainedMessage(client, "retained/0");
			assertThat(zero.text()).isEqualTo("zero");
			assertThat(zero.retain).isTrue();
			assertThat(retainedMessage(client, "retained/1").text()).isEqualTo("one");
			client.subscribed("retained/2", 0);
			expectNothingBut(client, "retained/2");
		}
	}

	/** Subscribes. Returns the retained message, which may precede the SUBACK. */
	private static RawPublish retainedMessage(RawMqttConnection client, String topic) throws Exception {
		client.send(client.subscribe(topic, 0));
		List<RawPacket> packets = List.of(client.receive(), client.receive());
		return packets.stream()
			.filter(RawPublish.class::isInstance)
			.map(RawPublish.class::cast)
			.findFirst()
			.orElseThrow();
	}

	@Test
	void keepsSharedSubscription() throws Exception {
		try (RawMqttConnection client = newSession("member")) {
			client.subscribed("$share/g/t", 1);
		}
		expectMessageAfterRestart("member");
	}

	/** Verifies that a session receives a message on topic {@code t}. */
	private void expectMessageAfterRestart(String clientId) throws Exception {
		try (RawMqttConnection publisher = client("publisher")) {
			publish(publisher, "t", "x");
		}
		restart();
		try (RawMqttConnection client = continued(clientId)) {
			assertThat(client.receivePublish().text()).isEqualTo("x");
		}
	}

	@Test
	void forgetsSubscriptionThatEnded() throws Exception {
		try (RawMqttConnection client = newSession("left")) {
			client.subscribed("a", 1);
			client.subscribed("b", 1);
			client.unsubscribed("a");
		}
		restart();
		try (RawMqttConnection client = continued("left"); RawMqttConnection publisher = client("publisher")) {
			publish(publisher, "a", "no");
			publish(publisher, "b", "yes");
			assertThat(client.receivePublish().text()).isEqualTo("yes");
		}
	}

	@Test
	void forgetsSessionWithoutExpiry() throws Exception {
		RawMqttConnection client = client("brief");
		client.subscribed("t", 1);
		restart();
		client.close();
		try (RawMqttConnection again = new RawMqttConnection(this.port)) {
			assertThat(continueSession(again, "brief")).isFalse();
			publish(again, "t", "x");
			again.subscribed("end", 0);
			expectNothingBut(again, "end");
		}
	}

	@Test
	void forgetsSessionAfterCleanStart() throws Exception {
		try (RawMqttConnection client = newSession("clean")) {
			client.subscribed("t", 1);
		}
		newSession("clean").close();
		restart();
		try (RawMqttConnection client = continued("clean"); RawMqttConnection publisher = client("publisher")) {
			publish(publisher, "t", "x");
			client.subscribed("end", 0);
			expectNothingBut(client, "end");
		}
	}

	@Test
	void keepsMqtt3Session() throws Exception {
		RawConnect connect = RawConnect.of("v3").version(RawConnect.MQTT_3_1_1).cleanStart(false);
		try (RawMqttConnection client = new RawMqttConnection(this.port)) {
			client.connect(connect);
			client.subscribed("t", 1);
		}
		try (RawMqttConnection publisher = client("publisher")) {
			publish(publisher, "t", "x");
		}
		restart();
		try (RawMqttConnection client = new RawMqttConnection(this.port)) {
			assertThat(client.connect(connect).sessionPresent()).isTrue();
			assertThat(client.receivePublish().text()).isEqualTo("x");
		}
	}

	@Test
	void ignoresRepeatedMessageAfterRestart() throws Exception {
		RawPublish message;
		try (RawMqttConnection subscriber = newSession("subscriber"); RawMqttConnection client = newSession("sender")) {
			subscriber.subscribed("t", 2);
			message = client.publish("t", 2, "once");
			client.send(message);
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
		}
		restart();
		try (RawMqttConnection client = continued("sender"); RawMqttConnection subscriber = continued("subscriber")) {
			message.dup = true;
			client.send(message);
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
			client.send(RawControl.acknowledgment(PacketType.PUBREL, message.packetId));
			client.receive(PacketType.PUBCOMP);
			assertThat(subscriber.receivePublish().text()).isEqualTo("once");
			message.dup = false;
			message.payload = "new".getBytes();
			client.send(message);
			client.receive(PacketType.PUBREC);
			assertThat(subscriber.receivePublish().text()).isEqualTo("new");
		}
	}

	@Test
	void assignsNoPacketIdTwiceAfterRestart() throws Exception {
		List<String> others = IntStream.range(0, 20).mapToObj((i) -> "b" + i).toList();
		Map<String, Integer> sent = new HashMap<>();
		try (RawMqttConnection client = newSession("ids"); RawMqttConnection publisher = client("publisher")) {
			client.subscribed("a", 1);
			for (String filter : others) {
				client.subscribed(filter, 1);
			}
			for (int i = 0; i < 5; i++) {
				publish(publisher, "a", "a" + i);
				RawPublish message = client.receivePublish();
				sent.put(message.text(), message.packetId);
			}
		}
		try (RawMqttConnection publisher = client("publisher")) {
			for (String topic : others) {
				publish(publisher, topic, topic);
			}
		}
		restart();
		try (RawMqttConnection client = continued("ids")) {
			Map<String, Integer> again = new HashMap<>();
			for (int i = 0; i < 5 + others.size(); i++) {
				RawPublish message = client.receivePublish();
				again.put(message.text(), message.packetId);
			}
			assertThat(again).containsAllEntriesOf(sent);
			assertThat(again.values()).doesNotHaveDuplicates();
		}
	}

	@Test
	void redeliversWithSamePacketId() throws Exception {
		RawPublish first;
		RawPublish second;
		try (RawMqttConnection client = newSession("unacknowledged")) {
			client.subscribed("t/#", 2);
			try (RawMqttConnection publisher = client("publisher")) {
				publish(publisher, "t/1", "acknowledged");
				client.acknowledge(client.receivePublish());
				publish(publisher, "t/1", "x");
				first = client.receivePublish();
				publisher.send(publisher.publish("t/2", 2, "y"));
				publisher.receive(PacketType.PUBREC);
				second = client.receivePublish();
				disconnect(client);
			}
		}
		restart();
		try (RawMqttConnection client = continued("unacknowledged")) {
			for (RawPublish expected : List.of(first, second)) {
				RawPublish again = client.receivePublish();
				assertThat(again.text()).isEqualTo(expected.text());
				assertThat(again.packetId).isEqualTo(expected.packetId);
				assertThat(again.dup).isTrue();
			}
		}
	}

	@Test
	void repeatsReleaseAndKeepsItsPacketId() throws Exception {
		RawPublish first;
		try (RawMqttConnection client = newSession("receiver"); RawMqttConnection publisher = client("publisher")) {
			client.subscribed("t", 2);
			publisher.send(publisher.publish("t", 2, "first"));
			publisher.receive(PacketType.PUBREC);
			first = client.receivePublish();
			client.send(RawControl.acknowledgment(PacketType.PUBREC, first.packetId));
			client.receive(PacketType.PUBREL);
		}
		try (RawMqttConnection publisher = client("publisher")) {
			publisher.send(publisher.publish("t", 2, "second"));
			publisher.receive(PacketType.PUBREC);
		}
		restart();
		try (RawMqttConnection client = continued("receiver")) {
			RawPacket[] packets = { client.receive(), client.receive() };
			assertThat(packets).filteredOn(RawControl.class::isInstance)
				.singleElement(InstanceOfAssertFactories.type(RawControl.class))
				.returns(PacketType.PUBREL, RawControl::type)
				.returns(first.packetId, RawControl::packetId);
			assertThat(packets).filteredOn(RawPublish.class::isInstance)
				.singleElement(InstanceOfAssertFactories.type(RawPublish.class))
				.returns("second", RawPublish::text)
				.satisfies((second) -> assertThat(second.packetId).isNotEqualTo(first.packetId));
			client.send(RawControl.acknowledgment(PacketType.PUBCOMP, first.packetId));
		}
		try (RawMqttConnection client = continued("receiver")) {
			RawPacket packet = client.receive();
			if (packet.type() == PacketType.PUBREL) {
				// The broker has not read the PUBCOMP of the earlier connection.
				packet = client.receive();
			}
			assertThat(packet).isInstanceOf(RawPublish.class);
			RawPublish second = (RawPublish) packet;
			assertThat(second.text()).isEqualTo("second");
			assertThat(second.dup).isTrue();
		}
	}

	@Test
	void keepsSharedSubscriptionAfterTemporaryMember() throws Exception {
		try (RawMqttConnection brief = new RawMqttConnection(this.port);
				RawMqttConnection member = newSession("member")) {
			brief.connect(RawConnect.of("brief").version(RawConnect.MQTT_3_1_1).cleanStart(true));
			brief.subscribed("$share/g/t", 1);
			member.subscribed("$share/g/t", 1);
		}
		expectMessageAfterRestart("member");
	}

	@Test
	void keepsLatestOptionsOnResubscribe() throws Exception {
		try (RawMqttConnection client = newSession("repeated")) {
			client.subscribed("t", 2);
			client.send(client.subscribe("t", NO_LOCAL));
			assertThat(client.receiveReason(PacketType.SUBACK)).isZero();
		}
		expectLatestOptions("before");
		restart();
		expectLatestOptions("after");
	}

	private void expectLatestOptions(String foreign) throws Exception {
		try (RawMqttConnection client = continued("repeated"); RawMqttConnection other = client("other")) {
			client.send(client.publish("t", 1, "own"));
			client.receive(PacketType.PUBACK);
			publish(other, "t", foreign);
			RawPublish message = client.receivePublish();
			assertThat(message.text()).isEqualTo(foreign);
			assertThat(message.qos).isZero();
		}
	}

}
