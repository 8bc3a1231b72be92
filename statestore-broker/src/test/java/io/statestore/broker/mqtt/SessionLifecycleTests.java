package io.statestore.broker.mqtt;

import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.memory.MemoryUse;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawProperty;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Packets around the beginning and end of a connection, and QoS 2 packets. */
class SessionLifecycleTests extends MqttBrokerTest {

	private static final int MAX_UNRELEASED = 4_096;

	private static final RawProperty LASTING = PropertyType.SESSION_EXPIRY_INTERVAL.of(100);

	private final HeldSessionLog log = new HeldSessionLog();

	@Override
	protected MqttBroker start(MqttBrokerSettings settings) {
		return MqttBroker.start(settings, this.server, this.budget, this.log);
	}

	private RawMqttConnection connected(RawConnect connect) throws Exception {
		RawMqttConnection client = new RawMqttConnection(this.broker.port());
		assertThat(client.connect(connect).reason()).isZero();
		return client;
	}

	@Test
	void closedBrokerReleasesSessionMemory() throws Exception {
		try (RawMqttConnection client = connected(RawConnect.of("c", LASTING))) {
			client.subscribed("t", 1);
			await("the session")
				.until(() -> this.budget.statistics().usedBytesByPurpose().getOrDefault(MemoryUse.SESSION, 0L) > 0);
		}
		this.broker.close();
		await("the end")
			.until(() -> this.budget.statistics().usedBytesByPurpose().getOrDefault(MemoryUse.SESSION, 0L) == 0);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void ignoresPacketsAfterDisconnect(boolean lasting) throws Exception {
		RawProperty[] properties = lasting ? new RawProperty[] { LASTING } : new RawProperty[0];
		try (RawMqttConnection watcher = client("watcher");
				RawMqttConnection client = connected(RawConnect.of("c1", properties))) {
			watcher.subscribed("t/#", 1);
			client.send(client.publish("t/1", 0, "before"), client.subscribe("t/2", 1), RawControl.disconnect(0),
					client.publish("t/2", 1, "after"), client.publish("t/3", 2, "after"), client.unsubscribe("t/2"));
			client.receive(PacketType.SUBACK);
			client.assertClosed();
			assertThat(watcher.receivePublish().text()).isEqualTo("before");
			watcher.send(watcher.publish("t/4", 0, "end"));
			assertThat(watcher.receivePublish().text()).isEqualTo("end");
		}
	}

	@Test
	void ignoresPacketsAfterDisconnectWhileConnectIsPending() throws Exception {
		try (RawMqttConnection watcher = client("watcher");
				RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			watcher.subscribed("t/#", 1);
			this.log.hold();
			client.send(RawConnect.of("c2", LASTING).will("t/will"), client.publish("t/1", 0, "before"),
					RawControl.disconnect(0), client.publish("t/2", 0, "after"));
			await("the change").until(() -> this.log.heldChanges() == 1);
			this.log.release();
			assertThat(client.receiveReason(PacketType.CONNACK)).isZero();
			client.assertClosed();
			assertThat(watcher.receivePublish().text()).isEqualTo("before");
			watcher.send(watcher.publish("t/4", 0, "end"));
			assertThat(watcher.receivePublish().text()).isEqualTo("end");
		}
	}

	@ParameterizedTest
	@CsvSource({ "true, true", "true, false", "false, true", "false, false" })
	void takeoverEndsEarlierConnection(boolean earlierLasting, boolean laterLasting) throws Exception {
		RawProperty[] lasting = { LASTING };
		RawProperty[] none = {};
		try (RawMqttConnection earlier = connected(RawConnect.of("c3", earlierLasting ? lasting : none));
				RawMqttConnection later = connected(
						RawConnect.of("c3", laterLasting ? lasting : none).cleanStart(false))) {
			assertThat(earlier.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x8E);
			earlier.assertClosed();
			later.subscribed("t", 1);
			later.send(later.publish("t", 0, "x"));
			assertThat(later.receivePublish().text()).isEqualTo("x");
		}
	}

	@Test
	void sendsNothingBeforeConnackToTakenOverConnection() throws Exception {
		try (RawMqttConnection earlier = new RawMqttConnection(this.broker.port());
				RawMqttConnection later = new RawMqttConnection(this.broker.port())) {
			this.log.hold();
			earlier.send(RawConnect.of("c4", LASTING));
			await("the first change").until(() -> this.log.heldChanges() == 1);
			later.send(RawConnect.of("c4", LASTING));
			await("the second change").until(() -> this.log.heldChanges() >= 2);
			// A DISCONNECT must not precede a CONNACK (MQTT 5 section 3.14).
			earlier.assertClosed();
			this.log.release();
			assertThat(later.receiveReason(PacketType.CONNACK)).isZero();
			later.ping();
		}
	}

	@Test
	void takeoverDeliversMessagesToLaterConnectionOnly() throws Exception {
		try (RawMqttConnection earlier = connected(RawConnect.of("c5", LASTING));
				RawMqttConnection publisher = client("publisher")) {
			earlier.subscribed("t", 1);
			try (RawMqttConnection later = connected(RawConnect.of("c5", LASTING).cleanStart(false))) {
				publisher.send(publisher.publish("t", 1, "x"));
				assertThat(later.receivePublish().text()).isEqualTo("x");
			}
			assertThat(earlier.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x8E);
			earlier.assertClosed();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 100 })
	void disconnectInSameSegmentAsConnectRemovesWill(int expiry) throws Exception {
		try (RawMqttConnection watcher = client("watcher");
				RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			watcher.subscribed("wills/#", 0);
			client.send(RawConnect.of("c6", PropertyType.SESSION_EXPIRY_INTERVAL.of(expiry)).will("wills/c6"),
					RawControl.disconnect(0));
			assertThat(client.receiveReason(PacketType.CONNACK)).isZero();
			client.assertClosed();
			assertReceivesOnlyEnd(watcher);
		}
	}

	/** Takes ten seconds, because the broker does not read while a CONNECT is pending. */
	@Tag("long")
	@ParameterizedTest
	@CsvSource({ "0, false", "4, true" })
	void disconnectWhileConnectIsPendingDecidesWill(int reason, boolean published) throws Exception {
		try (RawMqttConnection watcher = client("watcher")) {
			watcher.subscribed("wills/#", 0);
			this.log.hold();
			try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
				client.send(RawConnect.of("c7").will("wills/c7"), RawControl.disconnect(reason));
				await("the change").until(() -> this.log.heldChanges() == 1);
			}
			await("the end of the connection").until(() -> this.broker.connections().open() == 1);
			this.log.release();
			if (published) {
				assertThat(watcher.receivePublish().topic).isEqualTo("wills/c7");
			}
			assertReceivesOnlyEnd(watcher);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a\0b" })
	void refusesInvalidWill(String topic) throws Exception {
		try (RawMqttConnection earlier = connected(RawConnect.of("c14"));
				RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.send(RawConnect.of("c14", LASTING).will(topic));
			assertThat(client.receiveReason(PacketType.CONNACK)).isEqualTo(0x90);
			client.assertClosed();
			earlier.ping();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a/+", "a\0b" })
	void refusesWillWithInvalidResponseTopic(String topic) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.send(RawConnect.of("c15").will(RawPublish.of((will) -> {
				will.topic = "wills/c15";
				will.responseTopic = topic;
			})));
			assertThat(client.receiveReason(PacketType.CONNACK)).isEqualTo(0x90);
			client.assertClosed();
		}
	}

	@Test
	void publishesWillIfConnectionEndsAfterConnect() throws Exception {
		try (RawMqttConnection watcher = client("watcher")) {
			watcher.subscribed("wills/#", 0);
			try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
				client.send(RawConnect.of("c8").will("wills/c8"));
				assertThat(client.receiveReason(PacketType.CONNACK)).isZero();
			}
			assertThat(watcher.receivePublish().topic).isEqualTo("wills/c8");
		}
	}

	private static void assertReceivesOnlyEnd(RawMqttConnection watcher) throws Exception {
		watcher.send(watcher.publish("wills/end", 0, "end"));
		assertThat(watcher.receivePublish().topic).isEqualTo("wills/end");
	}

	@Test
	void announcesReceiveMaximum() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect("c9").property(PropertyType.RECEIVE_MAXIMUM)).isEqualTo((long) MAX_UNRELEASED);
		}
	}

	@ParameterizedTest
	@CsvSource({ "5, false", "5, true", "4, false", "4, true" })
	void endsConnectionWithTooManyUnreleasedMessages(int version, boolean lasting) throws Exception {
		RawProperty[] properties = lasting ? new RawProperty[] { LASTING } : new RawProperty[0];
		try (RawMqttConnection client = connected(
				RawConnect.of("c10", properties).version(version).cleanStart(!lasting))) {
			for (int i = 1; i <= MAX_UNRELEASED; i++) {
				client.send(client.publish("t", 2, "x"));
			}
			for (int i = 1; i <= MAX_UNRELEASED; i++) {
				RawControl pubrec = client.receive(PacketType.PUBREC);
				assertThat(pubrec.reason()).isZero();
				assertThat(pubrec.packetId()).isEqualTo(i);
			}
			client.send(RawControl.acknowledgment(PacketType.PUBREL, 1));
			assertThat(client.receiveReason(PacketType.PUBCOMP)).isZero();
			RawPublish last = client.publish("t", 2, "x");
			client.send(last, last);
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
			// The client has already released this message.
			client.send(RawControl.acknowledgment(PacketType.PUBREL, 1));
			assertThat(client.receiveReason(PacketType.PUBCOMP)).isZero();
			client.send(client.publish("t", 2, "one too many"));
			if (version == RawPacket.MQTT_5) {
				assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x93);
			}
			client.assertClosed();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void answersPubrelForUnknownMessage(boolean lasting) throws Exception {
		RawProperty[] properties = lasting ? new RawProperty[] { LASTING } : new RawProperty[0];
		try (RawMqttConnection client = connected(RawConnect.of("c11", properties))) {
			client.send(RawControl.acknowledgment(PacketType.PUBREL, 77));
			assertThat(client.receive(PacketType.PUBCOMP).packetId()).isEqualTo(77);
			client.subscribed("t", 2);
			RawPublish message = client.publish("t", 2, "x");
			client.send(message);
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
			assertThat(client.receivePublish().text()).isEqualTo("x");
		}
	}

	@Test
	void answersPubrecForUnknownMessage() throws Exception {
		try (RawMqttConnection client = connected(RawConnect.of("c12", LASTING))) {
			client.send(RawControl.acknowledgment(PacketType.PUBREC, 78));
			RawControl pubrel = client.receive(PacketType.PUBREL);
			assertThat(pubrel.packetId()).isEqualTo(78);
			assertThat(pubrel.reason()).isEqualTo(0x92);
			client.send(RawControl.acknowledgment(PacketType.PUBACK, 79),
					RawControl.acknowledgment(PacketType.PUBCOMP, 80));
			client.ping();
		}
	}

	@Test
	void answersPacketsInOrderWhileChangesArePending() throws Exception {
		try (RawMqttConnection client = connected(RawConnect.of("c13", LASTING))) {
			client.subscribed("t", 1);
			this.log.hold();
			client.send(client.publish("t", 1, "queued"), client.publish("nobody", 1, "x"),
					client.publish("nobody", 2, "x"), client.subscribe("u", 1));
			await("changes").until(() -> this.log.heldChanges() >= 2);
			this.log.release();
			assertThat(acknowledgments(client, 4)).containsExactly("PUBACK 2", "PUBACK 3", "PUBREC 4", "SUBACK 5");
		}
	}

	/** Returns the next packets except messages, with their packet identifiers. */
	private static List<String> acknowledgments(RawMqttConnection client, int count) throws Exception {
		List<String> acknowledgments = new ArrayList<>();
		while (acknowledgments.size() < count) {
			if (client.receive() instanceof RawControl control) {
				acknowledgments.add(control.type() + " " + control.packetId());
			}
		}
		return acknowledgments;
	}

}
