package io.statestore.broker.mqtt;

import java.time.Duration;

import io.statestore.broker.server.ClientConnection;
import io.statestore.protocol.Topics;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ConnectionTests extends MqttBrokerTest {

	@Test
	void reportsConnectionAndItsEnd() throws Exception {
		try (RawMqttConnection client = client("c1")) {
			assertThat(this.server.nextEvents(1)).containsExactly("+c1");
			client.send(RawControl.disconnect(0));
			client.assertClosed();
		}
		assertThat(this.server.nextEvents(1)).containsExactly("-c1");
		client("c1").close();
		assertThat(this.server.nextEvents(2)).containsExactly("+c1", "-c1");
	}

	@Test
	void disconnectsTakenOverConnectionWithReason() throws Exception {
		try (RawMqttConnection first = client("c2")) {
			ClientConnection firstConnection = this.server.connection("c2");
			try (RawMqttConnection second = client("c2")) {
				assertThat(first.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x8E);
				first.assertClosed();
				assertThat(this.server.nextEvents(3)).containsExactlyInAnyOrder("+c2", "-c2", "+c2");
				assertThat(this.server.connections).hasSize(1).doesNotContain(firstConnection);
				second.ping();
			}
			assertThat(this.server.nextEvents(1)).containsExactly("-c2");
		}
	}

	@Test
	void connackContainsAssignedClientId() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			String assigned = client.connect("").text(PropertyType.ASSIGNED_CLIENT_IDENTIFIER);
			assertThat(assigned).isNotEmpty();
			assertThat(this.server.nextEvents(1)).containsExactly("+" + assigned);
		}
	}

	@Test
	void connackContainsLimits() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			RawControl connack = client.connect("c3");
			assertThat(connack.property(PropertyType.MAXIMUM_PACKET_SIZE)).isEqualTo((long) MAX_PACKET_SIZE);
			assertThat(connack.property(PropertyType.TOPIC_ALIAS_MAXIMUM)).isEqualTo(0L);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { Topics.REQUEST, Topics.RESERVED_PREFIX + "/6331/command/notify/6B" })
	void refusesWillOnReservedTopic(String topic) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			RawControl connack = client.connect(RawConnect.of("c4").will(topic));
			assertThat(connack.reason()).isEqualTo(0x87);
			client.assertClosed();
		}
		assertThat(this.server.connections).isEmpty();
	}

	@Test
	void disconnectsAfterSecondConnect() throws Exception {
		try (RawMqttConnection client = client("c5")) {
			client.send(RawConnect.of("c5"));
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x82);
			client.assertClosed();
		}
	}

	@Test
	void disconnectsAfterSecondConnectWithAnotherVersion() throws Exception {
		try (RawMqttConnection client = client("c5");
				RawMqttConnection other = new RawMqttConnection(this.broker.port())) {
			byte[] connect = other.encode(RawConnect.of("c5").version(RawPacket.MQTT_3_1_1));
			client.sendBytes(connect);
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x82);
			client.assertClosed();
		}
	}

	@Test
	void disconnectsBeforeReadingTooLargePacket() throws Exception {
		try (RawMqttConnection client = client("c6")) {
			// The header of a PUBLISH of 268,435,455 bytes.
			client.sendBytes((byte) 0x32, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0x7F, (byte) 0, (byte) 1,
					(byte) 'a', (byte) 0, (byte) 1);
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x95);
			client.assertClosed();
		}
	}

	@Test
	void disconnectsAfterTopicAlias() throws Exception {
		try (RawMqttConnection client = client("c7")) {
			client.send(client.publish(Topics.REQUEST, 1, "echo", PropertyType.TOPIC_ALIAS.of(1)));
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x94);
		}
		assertThat(this.server.requests).isEmpty();
	}

	@Test
	void refusesEnhancedAuthentication() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect("c8", PropertyType.AUTHENTICATION_METHOD.of("K8S-SAT")).reason()).isEqualTo(0x8C);
		}
		assertThat(this.server.connections).isEmpty();
	}

	@Tag("long")
	@Test
	void requestsCountTowardKeepAlive() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port());
				RawMqttConnection silent = new RawMqttConnection(this.broker.port())) {
			// Longer than a pause of one second on a busy machine.
			client.connect(RawConnect.of("c9").keepAlive(3));
			silent.connect(RawConnect.of("c9-silent").keepAlive(3));
			long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
			while (!this.server.events.contains("-c9-silent") && System.nanoTime() < end) {
				client.send(client.publish(Topics.REQUEST, 1, "refuse 0x80"));
				assertThat(client.receiveReason(PacketType.PUBACK)).isEqualTo(0x80);
			}
			client.ping();
			assertThat(this.server.nextEvents(3)).containsExactly("+c9", "+c9-silent", "-c9-silent");
			assertThat(this.server.events).isEmpty();
		}
	}

	@Test
	void disconnectsIdleClientAfterOneAndAHalfKeepAlives() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect(RawConnect.of("c10").keepAlive(1));
			assertThat(this.server.nextEvents(2)).containsExactly("+c10", "-c10");
		}
	}

	@Test
	void grantsLongestKeepAliveIfNoneIsRequested() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			RawControl connack = client.connect(RawConnect.of("c11").keepAlive(0));
			assertThat(connack.property(PropertyType.SERVER_KEEP_ALIVE)).isEqualTo(65_535L);
		}
	}

	@Test
	void servesOnlyOrdinaryMessagesBeforeMqtt5() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect(RawConnect.of("c12").version(RawPacket.MQTT_3_1_1));
			client.send(client.subscribe("a/+", 1));
			client.receive();
			client.send(client.publish("a/b", 1, "hello"));
			RawPacket first = client.receive();
			RawPacket second = client.receive();
			assertThat(first.type() == PacketType.PUBLISH || second.type() == PacketType.PUBLISH).isTrue();
			client.send(client.publish(Topics.REQUEST, 1, "echo"));
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			var exactlyOnce = client.publish(Topics.REQUEST, 2, "echo");
			client.send(exactlyOnce);
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
			client.send(RawControl.acknowledgment(PacketType.PUBREL, exactlyOnce.packetId));
			assertThat(client.receiveReason(PacketType.PUBCOMP)).isZero();
			client.ping();
		}
		assertThat(this.server.requests).isEmpty();
		assertThat(this.server.events).isEmpty();
	}

}
