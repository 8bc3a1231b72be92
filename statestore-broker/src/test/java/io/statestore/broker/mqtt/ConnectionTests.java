package io.statestore.broker.mqtt;

import java.time.Duration;

import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientConnection;
import io.statestore.protocol.Topics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ConnectionTests extends MqttBrokerTest {

	@Test
	void reportsConnectionAndItsEnd() throws Exception {
		try (RawClient client = client("c1")) {
			assertThat(this.server.nextEvents(1)).containsExactly("+c1");
			client.send(MqttMessageBuilders.disconnect().reasonCode((byte) 0).build());
			client.assertClosed();
		}
		assertThat(this.server.nextEvents(1)).containsExactly("-c1");
		client("c1").close();
		assertThat(this.server.nextEvents(2)).containsExactly("+c1", "-c1");
	}

	@Test
	void disconnectsTakenOverConnectionWithReason() throws Exception {
		try (RawClient first = client("c2")) {
			ClientConnection firstConnection = this.server.connection("c2");
			try (RawClient second = client("c2")) {
				assertThat(first.receiveReason(MqttMessageType.DISCONNECT)).isEqualTo(0x8E);
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
		try (RawClient client = new RawClient(this.broker.port())) {
			String assigned = Packets.property(client.connect("").variableHeader().properties(),
					MqttPropertyType.ASSIGNED_CLIENT_IDENTIFIER, String.class);
			assertThat(assigned).isNotEmpty();
			assertThat(this.server.nextEvents(1)).containsExactly("+" + assigned);
		}
	}

	@Test
	void connackContainsLimits() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			var properties = client.connect("c3").variableHeader().properties();
			assertThat(Packets.property(properties, MqttPropertyType.MAXIMUM_PACKET_SIZE, Integer.class))
				.isEqualTo(MAX_PACKET_SIZE);
			assertThat(Packets.property(properties, MqttPropertyType.TOPIC_ALIAS_MAXIMUM, Integer.class)).isZero();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { Topics.REQUEST, Topics.RESERVED_PREFIX + "/6331/command/notify/6B" })
	void refusesWillOnReservedTopic(String topic) throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			MqttConnAckMessage connack = client.connect(RawClient.connectBuilder("c4")
				.willFlag(true)
				.willTopic(topic)
				.willMessage(new byte[] { 1 })
				.willQoS(MqttQoS.AT_LEAST_ONCE)
				.build());
			assertThat(connack.variableHeader().connectReturnCode())
				.isEqualTo(MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED_5);
			client.assertClosed();
		}
		assertThat(this.server.connections).isEmpty();
	}

	@Test
	void disconnectsAfterSecondConnect() throws Exception {
		try (RawClient client = client("c5")) {
			client.send(RawClient.connectBuilder("c5").build());
			assertThat(client.receiveReason(MqttMessageType.DISCONNECT)).isEqualTo(0x82);
			client.assertClosed();
		}
	}

	@Test
	void disconnectsAfterSecondConnectOfOtherVersion() throws Exception {
		try (RawClient client = client("c5"); RawClient other = new RawClient(this.broker.port())) {
			byte[] connect = other
				.encode(RawClient.connectBuilder("c5").protocolVersion(MqttVersion.MQTT_3_1_1).build());
			client.sendBytes(connect);
			assertThat(client.receiveReason(MqttMessageType.DISCONNECT)).isEqualTo(0x82);
			client.assertClosed();
		}
	}

	@Test
	void disconnectsBeforeReadingTooLargePacket() throws Exception {
		try (RawClient client = client("c6")) {
			// The header of a PUBLISH of 268,435,455 bytes.
			client.sendBytes((byte) 0x32, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0x7F, (byte) 0, (byte) 1,
					(byte) 'a', (byte) 0, (byte) 1);
			assertThat(client.receiveReason(MqttMessageType.DISCONNECT)).isEqualTo(0x95);
			client.assertClosed();
		}
	}

	@Test
	void disconnectsAfterTopicAlias() throws Exception {
		try (RawClient client = client("c7")) {
			client.send(client.publish(Topics.REQUEST, 1, "echo", RawClient.integer(MqttPropertyType.TOPIC_ALIAS, 1)));
			assertThat(client.receiveReason(MqttMessageType.DISCONNECT)).isEqualTo(0x94);
		}
		assertThat(this.server.requests).isEmpty();
	}

	@Test
	void refusesEnhancedAuthentication() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			assertThat(
					client.connect("c8", new StringProperty(MqttPropertyType.AUTHENTICATION_METHOD.value(), "K8S-SAT"))
						.variableHeader()
						.connectReturnCode())
				.isEqualTo(MqttConnectReturnCode.CONNECTION_REFUSED_BAD_AUTHENTICATION_METHOD);
		}
		assertThat(this.server.connections).isEmpty();
	}

	@Test
	void requestsCountForKeepAlive() throws Exception {
		try (RawClient client = new RawClient(this.broker.port());
				RawClient silent = new RawClient(this.broker.port())) {
			// Longer than a pause of one second on a busy machine.
			client.connect(RawClient.connectBuilder("c9").keepAlive(3).build());
			silent.connect(RawClient.connectBuilder("c9-silent").keepAlive(3).build());
			long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
			while (!this.server.events.contains("-c9-silent") && System.nanoTime() < end) {
				client.send(client.publish(Topics.REQUEST, 1, "refuse 0x80"));
				assertThat(client.receiveReason(MqttMessageType.PUBACK)).isEqualTo(0x80);
			}
			client.ping();
			assertThat(this.server.nextEvents(3)).containsExactly("+c9", "+c9-silent", "-c9-silent");
			assertThat(this.server.events).isEmpty();
		}
	}

	@Test
	void disconnectsIdleClientAfterOneAndAHalfKeepAlives() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect(RawClient.connectBuilder("c10").keepAlive(1).build());
			assertThat(this.server.nextEvents(2)).containsExactly("+c10", "-c10");
		}
	}

	@Test
	void grantsLongestKeepAliveWithoutRequestedOne() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			var properties = client.connect(RawClient.connectBuilder("c11").keepAlive(0).build())
				.variableHeader()
				.properties();
			assertThat(Packets.property(properties, MqttPropertyType.SERVER_KEEP_ALIVE, Integer.class))
				.isEqualTo(65_535);
		}
	}

	@Test
	void servesOnlyOrdinaryMessagesBeforeMqtt5() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect(MqttMessageBuilders.connect()
				.clientId("c12")
				.protocolVersion(MqttVersion.MQTT_3_1_1)
				.cleanSession(true)
				.keepAlive(60)
				.build());
			client.send(client.subscribe("a/+", 1));
			client.receive();
			client.send(client.publish("a/b", 1, "hello"));
			MqttMessage first = client.receive();
			MqttMessage second = client.receive();
			assertThat(first.fixedHeader().messageType() == MqttMessageType.PUBLISH
					|| second.fixedHeader().messageType() == MqttMessageType.PUBLISH)
				.isTrue();
			client.send(client.publish(Topics.REQUEST, 1, "echo"));
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
			var exactlyOnce = client.publish(Topics.REQUEST, 2, "echo");
			client.send(exactlyOnce);
			assertThat(client.receiveReason(MqttMessageType.PUBREC)).isZero();
			client.send(client.reply(MqttMessageType.PUBREL, exactlyOnce.variableHeader().packetId()));
			assertThat(client.receiveReason(MqttMessageType.PUBCOMP)).isZero();
			client.ping();
		}
		assertThat(this.server.requests).isEmpty();
		assertThat(this.server.events).isEmpty();
	}

}
