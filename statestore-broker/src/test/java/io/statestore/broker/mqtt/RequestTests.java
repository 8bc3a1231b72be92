package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class RequestTests extends MqttBrokerTest {

	@Test
	void passesAllPropertiesToServer() throws Exception {
		try (RawMqttConnection client = client("r1")) {
			RawPublish message = request(client, "echo", "answers/r1");
			message.correlationData = "abc".getBytes(StandardCharsets.UTF_8);
			message.messageExpiry = 4_294_967_295L;
			message.with("__ts", "1:2:n").with("other", "x").with("__ts", "again");
			client.send(message);
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
		try (RawMqttConnection client = client("r2")) {
			client.subscribed("answers/r2", 1);
			RawPublish request = request(client, "echo", "answers/r2");
			int packetId = request.packetId;
			client.send(request);
			RawPublish reply = client.receivePublish();
			assertThat(reply.topic).isEqualTo("answers/r2");
			assertThat(reply.qos).isEqualTo(1);
			assertThat(reply.retain).isFalse();
			assertThat(reply.text()).isEqualTo("echo");
			assertReplyProperties(reply, "c-echo");
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			assertThat(packetId).isPositive();
		}
	}

	private static void assertReplyProperties(RawPublish reply, String correlationData) {
		assertThat(reply.payloadFormat).isZero();
		assertThat(reply.contentType).isEqualTo("application/octet-stream");
		assertThat(reply.correlationData).isEqualTo(correlationData.getBytes(StandardCharsets.UTF_8));
		assertThat(reply.userProperties).containsExactly(Map.entry("__stat", "200"), Map.entry("twice", "1"),
				Map.entry("twice", "2"));
	}

	@Test
	void isNotDeliveredToSubscribers() throws Exception {
		try (RawMqttConnection client = client("r3"); RawMqttConnection other = client("spy")) {
			other.subscribed("#", 1);
			other.subscribed("statestore/#", 1);
			other.subscribed(Topics.REQUEST, 2);
			client.send(request(client, "echo", "answers/r3"));
			this.server.nextRequest();
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			client.send(client.publish("marker", 0, "end"));
			// The reply is an ordinary message, which the filter # matches.
			assertThat(other.receivePublish().topic).isEqualTo("answers/r3");
			assertThat(other.receivePublish().topic).isEqualTo("marker");
		}
	}

	@Test
	void isNotRetained() throws Exception {
		try (RawMqttConnection client = client("r4")) {
			RawPublish request = request(client, "echo", "answers/r4");
			request.retain = true;
			client.send(request);
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			client.subscribed("statestore/#", 1);
			client.ping();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0x80, 0x83, 0x97 })
	void acknowledgesWithReasonFromServer(int reason) throws Exception {
		try (RawMqttConnection client = client("r5")) {
			client.send(request(client, "refuse " + reason, "answers/r5"));
			assertThat(client.receiveReason(PacketType.PUBACK)).isEqualTo(reason);
		}
	}

	@Test
	void refusesQos2() throws Exception {
		try (RawMqttConnection client = client("r6")) {
			client.send(client.publish(Topics.REQUEST, 2, "echo", requestProperties("answers/r6", "x")));
			assertThat(client.receiveReason(PacketType.PUBREC)).isEqualTo(0x9B);
			client.ping();
		}
	}

	@Test
	void doesNotAcknowledgeQos0() throws Exception {
		try (RawMqttConnection client = client("r7")) {
			client.send(client.publish(Topics.REQUEST, 0, "refuse 0x80"));
			assertThat(this.server.nextRequest().qos()).isZero();
			client.ping();
		}
	}

	@Test
	void disconnectsWithReasonFromServer() throws Exception {
		try (RawMqttConnection client = client("r8")) {
			client.send(request(client, "disconnect 0x82", "answers/r8"));
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x82);
			client.assertClosed();
			assertThat(this.server.nextEvents(2)).containsExactly("+r8", "-r8");
		}
	}

	@Test
	void repliesAfterConnackAndSuback() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.send(RawConnect.of("r9"), client.subscribe("answers/+", 1), request(client, "echo 1", "answers/r9"),
					request(client, "echo 2", "answers/r9"));
			List<PacketType> types = new ArrayList<>();
			for (int i = 0; i < 6; i++) {
				types.add(client.receive().type());
			}
			assertThat(types).containsExactly(PacketType.CONNACK, PacketType.SUBACK, PacketType.PUBLISH,
					PacketType.PUBACK, PacketType.PUBLISH, PacketType.PUBACK);
		}
	}

	@Test
	void executesRequestsInOrder() throws Exception {
		try (RawMqttConnection client = client("r10")) {
			client.subscribed("answers/r10", 1);
			RawPublish[] requests = new RawPublish[500];
			for (int i = 0; i < requests.length; i++) {
				requests[i] = request(client, "echo " + i, "answers/r10");
			}
			client.send(requests);
			for (int i = 0; i < requests.length; i++) {
				RawPublish reply = client.receivePublish();
				assertThat(reply.text()).isEqualTo("echo " + i);
				assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
				client.acknowledge(reply);
			}
		}
	}

	@Test
	void repliesToSubscriberOnOtherConnection() throws Exception {
		try (RawMqttConnection client = client("r11"); RawMqttConnection listener = client("r11-listener")) {
			listener.subscribed("answers/r11", 1);
			client.send(request(client, "echo", "answers/r11"));
			RawPublish reply = listener.receivePublish();
			assertThat(reply.text()).isEqualTo("echo");
			assertThat(reply.qos).isEqualTo(1);
			assertReplyProperties(reply, "c-echo");
		}
	}

	@Test
	void repliesToOtherSubscribersAfterUnsubscribe() throws Exception {
		try (RawMqttConnection client = client("r12"); RawMqttConnection listener = client("r12-listener")) {
			client.subscribed("answers/r12", 1);
			client.unsubscribed("answers/r12");
			listener.subscribed("answers/#", 1);
			client.send(request(client, "echo", "answers/r12"));
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			assertThat(listener.receivePublish().text()).isEqualTo("echo");
			client.ping();
		}
	}

	@Test
	void repliesWithSubscriptionQosAndIdentifiers() throws Exception {
		try (RawMqttConnection client = client("r13")) {
			client.subscribed("answers/r13", 0, PropertyType.SUBSCRIPTION_IDENTIFIER.of(7));
			client.subscribed("answers/#", 0, PropertyType.SUBSCRIPTION_IDENTIFIER.of(300));
			client.send(request(client, "echo", "answers/r13"));
			RawPublish reply = client.receivePublish();
			assertThat(reply.qos).isZero();
			assertThat(reply.subscriptionIdentifiers).containsExactly(7L, 300L);
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
		}
	}

	@Test
	void repliesInContinuedSession() throws Exception {
		var sessionExpiry = PropertyType.SESSION_EXPIRY_INTERVAL.of(100);
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("r14", sessionExpiry);
			client.subscribed("answers/r14", 1);
		}
		assertThat(this.server.nextEvents(2)).containsExactly("+r14", "-r14");
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("r14", sessionExpiry).cleanStart(false)).sessionPresent()).isTrue();
			client.send(request(client, "echo", "answers/r14"));
			assertThat(client.receivePublish().text()).isEqualTo("echo");
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			client.ping();
		}
	}

}
