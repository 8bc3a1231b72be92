package io.statestore.broker.mqtt;

import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Protection of notification topics. Clients try to reach an observer with other forms of
 * its topic, because Artemis has names of its own for topics.
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
		try (RawClient victim = victim(); RawClient client = client("t1")) {
			client.send(client.publish(topic, 0, "forged"));
			MqttPublishMessage again = client.publish(topic, 1, "forged");
			client.send(again);
			client.receiveReason(MqttMessageType.PUBACK);
			assertNothingArrived(victim, client);
		}
	}

	@ParameterizedTest
	@MethodSource("disguises")
	void replyDoesNotReachNotificationSubscriber(String topic) throws Exception {
		try (RawClient victim = victim(); RawClient client = client("t2")) {
			if (Topics.isResponseTopicAllowed(topic)) {
				client.send(client.request("echo", topic));
				client.receiveReason(MqttMessageType.PUBACK);
				assertNothingArrived(victim, client);
			}
		}
	}

	@Test
	void refusesMessageOnAddressOfRetainedMessage() throws Exception {
		var session = RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 100);
		try (RawClient holder = new RawClient(this.broker.port())) {
			holder.connect("holder", session);
			holder.send(holder.subscribe("$sys/mqtt/retain/" + TOPIC, 1));
			holder.receive();
		}
		try (RawClient client = client("t4")) {
			MqttPublishMessage forged = client.publish("$sys/mqtt/retain/" + TOPIC, 1, "forged");
			client.send(forged);
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isEqualTo(0x87);
			try (RawClient victim = victim()) {
				assertNothingArrived(victim, client);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "$SYS/x", "a\\/b", "a::b" })
	void refusesMessageOnAmbiguousTopic(String topic) throws Exception {
		try (RawClient client = client("t5")) {
			client.send(client.publish(topic, 1, "x"));
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isEqualTo(0x87);
			client.ping();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "wills/+", "#", "$SYS/x", "a\\/b", "a::b", Topics.REQUEST })
	void refusesWillOnReservedTopic(String topic) throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			MqttConnAckMessage connack = client.connect(RawClient.connectBuilder("t6")
				.willFlag(true)
				.willTopic(topic)
				.willMessage(new byte[] { 1 })
				.willQoS(MqttQoS.AT_LEAST_ONCE)
				.build());
			assertThat(connack.variableHeader().connectReturnCode())
				.isEqualTo(MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED_5);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a.b", "a*b", "a/$b", "a/.b" })
	void deliversMessageOnSimilarTopic(String topic) throws Exception {
		try (RawClient client = client("t7")) {
			client.subscribed("#", 0);
			client.send(client.publish(topic, 0, "x"));
			assertThat(client.receivePublish().variableHeader().topicName()).isEqualTo(topic);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a::b", "a::#", "$share/group/a::b", "$share/a::b/c" })
	void refusesFilterThatNamesQueue(String filter) throws Exception {
		try (RawClient client = client("t8")) {
			client.send(MqttMessageBuilders.subscribe()
				.messageId(client.nextPacketId())
				.addSubscription(MqttQoS.AT_LEAST_ONCE, "a")
				.addSubscription(MqttQoS.AT_LEAST_ONCE, filter)
				.build());
			assertThat(client.receive(MqttSubAckMessage.class).payload().reasonCodes()).containsExactly(1, 0x8F);
			client.send(client.subscribe(filter, 1));
			assertThat(client.receive(MqttSubAckMessage.class).payload().reasonCodes()).containsExactly(0x8F);
		}
	}

	@Test
	void refusesClientIdThatNamesQueue() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			assertThat(client.connect("x::victim").variableHeader().connectReturnCode())
				.isEqualTo(MqttConnectReturnCode.CONNECTION_REFUSED_CLIENT_IDENTIFIER_NOT_VALID);
			client.assertClosed();
		}
	}

	/** Connects an observer that also receives the message that ends a test. */
	private RawClient victim() throws Exception {
		RawClient victim = client("victim");
		victim.subscribed(FILTER, 1);
		victim.subscribed(TOPIC, 1);
		victim.subscribed(Topics.RESERVED_PREFIX + "/#", 1);
		victim.subscribed("end", 1);
		return victim;
	}

	private static void assertNothingArrived(RawClient victim, RawClient client) throws Exception {
		client.ping();
		victim.ping();
		client.send(client.publish("end", 0, "end"));
		assertThat(victim.receivePublish().variableHeader().topicName()).isEqualTo("end");
		victim.ping();
	}

}
