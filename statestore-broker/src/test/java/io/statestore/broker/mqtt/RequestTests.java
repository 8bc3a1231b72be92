package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttProperties.UserProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class RequestTests extends MqttBrokerTest {

	@Test
	void passesAllPropertiesToServer() throws Exception {
		try (RawClient client = client("r1")) {
			MqttProperties properties = RawClient.requestProperties("answers/r1", "abc");
			properties.add(RawClient.integer(MqttPropertyType.PUBLICATION_EXPIRY_INTERVAL, -1));
			UserProperties user = new UserProperties();
			user.add("__ts", "1:2:n");
			user.add("other", "x");
			user.add("__ts", "again");
			properties.add(user);
			client.send(client.publish(Topics.REQUEST, 1, "echo", properties));
			IncomingRequest request = this.server.nextRequest();
			assertThat(request.connection().clientId()).isEqualTo("r1");
			assertThat(request.qos()).isEqualTo(1);
			assertThat(request.responseTopic()).isEqualTo("answers/r1");
			assertThat(request.correlationData()).isEqualTo(Bytes.of("abc"));
			assertThat(request.messageExpiry()).isEqualTo(Duration.ofSeconds(4_294_967_295L));
			assertThat(request.userProperties()).containsExactly(new UserProperty("__ts", "1:2:n"),
					new UserProperty("other", "x"), new UserProperty("__ts", "again"));
			assertThat(request.payload()).isEqualTo(Bytes.of("echo"));
		}
	}

	@Test
	void repliesBeforePuback() throws Exception {
		try (RawClient client = client("r2")) {
			client.subscribed("answers/r2", 1);
			MqttPublishMessage request = client.request("echo", "answers/r2");
			int packetId = request.variableHeader().packetId();
			client.send(request);
			MqttPublishMessage reply = client.receivePublish();
			assertThat(reply.variableHeader().topicName()).isEqualTo("answers/r2");
			assertThat(reply.fixedHeader().qosLevel().value()).isEqualTo(1);
			assertThat(reply.fixedHeader().isRetain()).isFalse();
			assertThat(RawClient.text(reply)).isEqualTo("echo");
			assertReplyProperties(reply, "c-echo");
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
			assertThat(packetId).isPositive();
		}
	}

	private static void assertReplyProperties(MqttPublishMessage reply, String correlationData) {
		MqttProperties properties = reply.variableHeader().properties();
		assertThat(Packets.property(properties, MqttPropertyType.PAYLOAD_FORMAT_INDICATOR, Integer.class)).isZero();
		assertThat(Packets.property(properties, MqttPropertyType.CONTENT_TYPE, String.class))
			.isEqualTo("application/octet-stream");
		assertThat(Packets.property(properties, MqttPropertyType.CORRELATION_DATA, byte[].class))
			.isEqualTo(correlationData.getBytes(StandardCharsets.UTF_8));
		assertThat(properties.getProperties(MqttPropertyType.USER_PROPERTY.value()).toString()).contains("__stat",
				"200", "twice");
		UserProperties user = (UserProperties) properties.getProperty(MqttPropertyType.USER_PROPERTY.value());
		assertThat(user.value().stream().map((pair) -> pair.key + "=" + pair.value)).containsExactly("__stat=200",
				"twice=1", "twice=2");
	}

	@Test
	void isNotDeliveredToSubscribers() throws Exception {
		try (RawClient client = client("r3"); RawClient other = client("spy")) {
			other.subscribed("#", 1);
			other.subscribed("statestore/#", 1);
			other.subscribed(Topics.REQUEST, 2);
			client.send(client.request("echo", "answers/r3"));
			this.server.nextRequest();
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
			client.send(client.publish("marker", 0, "end"));
			// The reply is an ordinary message, which the filter # matches.
			assertThat(other.receivePublish().variableHeader().topicName()).isEqualTo("answers/r3");
			assertThat(other.receivePublish().variableHeader().topicName()).isEqualTo("marker");
		}
	}

	@Test
	void isNotRetained() throws Exception {
		try (RawClient client = client("r4")) {
			client.send(MqttMessageBuilders.publish()
				.topicName(Topics.REQUEST)
				.retained(true)
				.qos(MqttQoS.AT_LEAST_ONCE)
				.messageId(client.nextPacketId())
				.payload(Unpooled.wrappedBuffer(new byte[] { 1 }))
				.properties(RawClient.requestProperties("answers/r4", "x"))
				.build());
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
			client.subscribed("statestore/#", 1);
			client.ping();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0x80, 0x83, 0x97 })
	void acknowledgesWithReasonOfServer(int reason) throws Exception {
		try (RawClient client = client("r5")) {
			client.send(client.request("refuse " + reason, "answers/r5"));
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isEqualTo(reason);
		}
	}

	@Test
	void refusesQos2() throws Exception {
		try (RawClient client = client("r6")) {
			client.send(client.publish(Topics.REQUEST, 2, "echo", RawClient.requestProperties("answers/r6", "x")));
			assertThat(client.receiveReason(MqttMessageType.PUBREC)).isEqualTo(0x9B);
			client.ping();
		}
	}

	@Test
	void doesNotAcknowledgeQos0() throws Exception {
		try (RawClient client = client("r7")) {
			client.send(client.publish(Topics.REQUEST, 0, "refuse 0x80"));
			assertThat(this.server.nextRequest().qos()).isZero();
			client.ping();
		}
	}

	@Test
	void disconnectsWithReasonOfServer() throws Exception {
		try (RawClient client = client("r8")) {
			client.send(client.request("disconnect 0x82", "answers/r8"));
			assertThat(client.receiveReason(MqttMessageType.DISCONNECT)).isEqualTo(0x82);
			client.assertClosed();
			assertThat(this.server.nextEvents(2)).containsExactly("+r8", "-r8");
		}
	}

	@Test
	void repliesAfterConnackAndSuback() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.send(RawClient.connectBuilder("r9").build(), client.subscribe("answers/+", 1),
					client.request("echo 1", "answers/r9"), client.request("echo 2", "answers/r9"));
			List<MqttMessageType> types = new ArrayList<>();
			for (int i = 0; i < 6; i++) {
				types.add(client.receive().fixedHeader().messageType());
			}
			assertThat(types).containsExactly(MqttMessageType.CONNACK, MqttMessageType.SUBACK, MqttMessageType.PUBLISH,
					MqttMessageType.PUBACK, MqttMessageType.PUBLISH, MqttMessageType.PUBACK);
		}
	}

	@Test
	void executesRequestsInOrder() throws Exception {
		try (RawClient client = client("r10")) {
			client.subscribed("answers/r10", 1);
			MqttPublishMessage[] requests = new MqttPublishMessage[500];
			for (int i = 0; i < requests.length; i++) {
				requests[i] = client.request("echo " + i, "answers/r10");
			}
			client.send(requests);
			for (int i = 0; i < requests.length; i++) {
				MqttPublishMessage reply = client.receivePublish();
				assertThat(RawClient.text(reply)).isEqualTo("echo " + i);
				assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
				client.acknowledge(reply);
			}
		}
	}

	@Test
	void repliesToSubscriberOnOtherConnection() throws Exception {
		try (RawClient client = client("r11"); RawClient listener = client("r11-listener")) {
			listener.subscribed("answers/r11", 1);
			client.send(client.request("echo", "answers/r11"));
			MqttPublishMessage reply = listener.receivePublish();
			assertThat(RawClient.text(reply)).isEqualTo("echo");
			assertThat(reply.fixedHeader().qosLevel().value()).isEqualTo(1);
			assertReplyProperties(reply, "c-echo");
		}
	}

	@Test
	void repliesToOtherSubscribersAfterUnsubscribe() throws Exception {
		try (RawClient client = client("r12"); RawClient listener = client("r12-listener")) {
			client.subscribed("answers/r12", 1);
			client.unsubscribed("answers/r12");
			listener.subscribed("answers/#", 1);
			client.send(client.request("echo", "answers/r12"));
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
			assertThat(RawClient.text(listener.receivePublish())).isEqualTo("echo");
			client.ping();
		}
	}

	@Test
	void repliesWithQosAndIdentifiersOfSubscriptions() throws Exception {
		try (RawClient client = client("r13")) {
			client.subscribed("answers/r13", 0, RawClient.integer(MqttPropertyType.SUBSCRIPTION_IDENTIFIER, 7));
			client.subscribed("answers/#", 0, RawClient.integer(MqttPropertyType.SUBSCRIPTION_IDENTIFIER, 300));
			client.send(client.request("echo", "answers/r13"));
			MqttPublishMessage reply = client.receivePublish();
			assertThat(reply.fixedHeader().qosLevel().value()).isZero();
			assertThat(reply.variableHeader()
				.properties()
				.getProperties(MqttPropertyType.SUBSCRIPTION_IDENTIFIER.value())
				.stream()
				.map((property) -> (Object) property.value())).containsExactly(7, 300);
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
		}
	}

	@Test
	void repliesInContinuedSession() throws Exception {
		var sessionExpiry = RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 100);
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("r14", sessionExpiry);
			client.subscribed("answers/r14", 1);
		}
		assertThat(this.server.nextEvents(2)).containsExactly("+r14", "-r14");
		try (RawClient client = new RawClient(this.broker.port())) {
			assertThat(client.connect(RawClient.connectBuilder("r14", sessionExpiry).cleanSession(false).build())
				.variableHeader()
				.isSessionPresent()).isTrue();
			client.send(client.request("echo", "answers/r14"));
			assertThat(RawClient.text(client.receivePublish())).isEqualTo("echo");
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
			client.ping();
		}
	}

}
