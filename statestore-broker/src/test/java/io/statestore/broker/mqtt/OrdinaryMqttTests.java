package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.statestore.broker.packet.Packets;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.impl.QueueImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Ordinary MQTT messages and sessions, which pass through our channel handlers. */
class OrdinaryMqttTests extends MqttBrokerTest {

	private static final IntegerProperty SESSION_EXPIRY = RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL,
			100);

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2 })
	void deliversMessagesOfEveryQos(int qos) throws Exception {
		try (RawClient publisher = client("o1"); RawClient subscriber = client("o2")) {
			subscriber.subscribed("a/+/c", 2);
			MqttPublishMessage message = publisher.publish("a/b/c", qos, "hello");
			publisher.send(message);
			if (qos == 1) {
				assertThat(publisher.receiveReason(MqttMessageType.PUBACK)).isZero();
			}
			if (qos == 2) {
				assertThat(publisher.receiveReason(MqttMessageType.PUBREC)).isZero();
				publisher.send(publisher.reply(MqttMessageType.PUBREL, message.variableHeader().packetId()));
				assertThat(publisher.receiveReason(MqttMessageType.PUBCOMP)).isZero();
			}
			MqttPublishMessage received = subscriber.receivePublish();
			assertThat(RawClient.text(received)).isEqualTo("hello");
			assertThat(received.fixedHeader().qosLevel().value()).isEqualTo(qos);
			if (qos == 2) {
				int packetId = received.variableHeader().packetId();
				subscriber.send(subscriber.reply(MqttMessageType.PUBREC, packetId));
				assertThat(subscriber.receiveReason(MqttMessageType.PUBREL)).isZero();
				subscriber.send(subscriber.reply(MqttMessageType.PUBCOMP, packetId));
			}
			subscriber.ping();
		}
	}

	@Test
	void deliversLargeMessage() throws Exception {
		try (RawClient client = client("o3")) {
			client.subscribed("large", 0);
			String text = "x".repeat(MAX_PACKET_SIZE - 100);
			client.send(client.publish("large", 0, text));
			assertThat(RawClient.text(client.receivePublish())).isEqualTo(text);
		}
	}

	@Test
	void deliversRetainedMessage() throws Exception {
		try (RawClient publisher = client("o4"); RawClient subscriber = client("o5")) {
			retain(publisher, "k");
			subscriber.send(subscriber.subscribe("kept", 1));
			List<MqttMessage> received = List.of(subscriber.receive(), subscriber.receive());
			assertThat(received.stream().map((message) -> message.fixedHeader().messageType()))
				.containsExactlyInAnyOrder(MqttMessageType.SUBACK, MqttMessageType.PUBLISH);
			assertThat(received).anyMatch((message) -> message.fixedHeader().isRetain());
		}
	}

	@Test
	void deliversRetainedMessageWhileQueueIsBusy() throws Exception {
		CountDownLatch done = new CountDownLatch(1);
		try (RawClient publisher = client("o16"); RawClient subscriber = client("o17")) {
			retain(publisher, "first");
			Queue queue = artemis().locateQueue("$sys.mqtt.retain.kept");
			((QueueImpl) queue).getExecutor().execute(() -> awaitQuietly(done));
			retain(publisher, "second");
			subscriber.send(subscriber.subscribe("kept", 1));
			MqttMessage answer = subscriber.receive();
			MqttMessage message = subscriber.receive();
			if (message.fixedHeader().messageType() == MqttMessageType.SUBACK) {
				message = answer;
			}
			assertThat(RawClient.text((MqttPublishMessage) message)).isEqualTo("second");
		}
		finally {
			done.countDown();
		}
	}

	private static void retain(RawClient client, String text) throws Exception {
		client.send(MqttMessageBuilders.publish()
			.topicName("kept")
			.retained(true)
			.qos(MqttQoS.AT_LEAST_ONCE)
			.messageId(client.nextPacketId())
			.payload(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8))
			.build());
		assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await(1, TimeUnit.MINUTES);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void continuesSessionAfterReconnect() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("o6", SESSION_EXPIRY);
			client.subscribed("news", 1);
		}
		this.server.nextEvents(2);
		try (RawClient publisher = client("o7")) {
			for (int i = 0; i < 3; i++) {
				publisher.send(publisher.publish("news", 1, "n" + i));
				assertThat(publisher.receiveReason(MqttMessageType.PUBACK)).isZero();
			}
		}
		try (RawClient client = new RawClient(this.broker.port())) {
			assertThat(client.connect(RawClient.connectBuilder("o6", SESSION_EXPIRY).cleanSession(false).build())
				.variableHeader()
				.isSessionPresent()).isTrue();
			for (int i = 0; i < 3; i++) {
				MqttPublishMessage message = client.receivePublish();
				assertThat(RawClient.text(message)).isEqualTo("n" + i);
				client.acknowledge(message);
			}
			client.ping();
		}
	}

	@Test
	void refusedAuthenticationKeepsSession() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("o17", SESSION_EXPIRY);
			client.subscribed("news", 1);
		}
		var method = new StringProperty(MqttPropertyType.AUTHENTICATION_METHOD.value(), "SCRAM-SHA-1");
		try (RawClient client = new RawClient(this.broker.port())) {
			assertThat(client.connect("o17", method).variableHeader().connectReturnCode())
				.isEqualTo(MqttConnectReturnCode.CONNECTION_REFUSED_BAD_AUTHENTICATION_METHOD);
			client.assertClosed();
		}
		try (RawClient client = new RawClient(this.broker.port())) {
			assertThat(client.connect(RawClient.connectBuilder("o17", SESSION_EXPIRY).cleanSession(false).build())
				.variableHeader()
				.isSessionPresent()).isTrue();
		}
	}

	@Test
	void deliversToOneMemberOfSharedSubscription() throws Exception {
		try (RawClient publisher = client("o8"); RawClient one = client("o9"); RawClient two = client("o10")) {
			one.subscribed("$share/group/work", 1);
			two.subscribed("$share/group/work", 1);
			for (int i = 0; i < 10; i++) {
				publisher.send(publisher.publish("work", 1, "w" + i));
				assertThat(publisher.receiveReason(MqttMessageType.PUBACK)).isZero();
			}
			List<String> received = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				received.add(RawClient.text(one.receivePublish()));
				received.add(RawClient.text(two.receivePublish()));
			}
			assertThat(received).doesNotHaveDuplicates().hasSize(10);
		}
	}

	@Test
	void publishesWillOfBrokenConnection() throws Exception {
		assertWillArrives("o11");
	}

	@Test
	void publishesWillOfLastingSession() throws Exception {
		assertWillArrives("o12", SESSION_EXPIRY);
	}

	@Test
	void publishesWillOfDisconnectedClient() throws Exception {
		try (RawClient watcher = client("watcher"); RawClient client = connectWithWill("o13")) {
			watcher.subscribed("wills/+", 1);
			this.server.connection("o13").disconnect(0x97, "test");
			assertThat(client.receiveReason(MqttMessageType.DISCONNECT)).isEqualTo(0x97);
			assertThat(watcher.receivePublish().variableHeader().topicName()).isEqualTo("wills/o13");
		}
	}

	private void assertWillArrives(String clientId, MqttProperties.MqttProperty<?>... properties) throws Exception {
		try (RawClient watcher = client("watcher")) {
			watcher.subscribed("wills/+", 1);
			connectWithWill(clientId, properties).close();
			assertThat(watcher.receivePublish().variableHeader().topicName()).isEqualTo("wills/" + clientId);
		}
	}

	private RawClient connectWithWill(String clientId, MqttProperties.MqttProperty<?>... properties) throws Exception {
		RawClient client = new RawClient(this.broker.port());
		client.connect(RawClient.connectBuilder(clientId, properties)
			.willFlag(true)
			.willTopic("wills/" + clientId)
			.willMessage(new byte[] { 1 })
			.willQoS(MqttQoS.AT_LEAST_ONCE)
			.build());
		return client;
	}

	@Test
	void keepsSessionWithExpiryOfOneMonth() throws Exception {
		var month = RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 30 * 24 * 3600);
		try (RawClient client = new RawClient(this.broker.port())) {
			assertThat(Packets.property(client.connect("o14", month).variableHeader().properties(),
					MqttPropertyType.SESSION_EXPIRY_INTERVAL, Integer.class))
				.isEqualTo(Intervals.MAX_SECONDS);
		}
		this.server.nextEvents(2);
		TimeUnit.MILLISECONDS.sleep(600);
		try (RawClient client = new RawClient(this.broker.port())) {
			assertThat(client.connect(RawClient.connectBuilder("o14", month).cleanSession(false).build())
				.variableHeader()
				.isSessionPresent()).isTrue();
		}
	}

	@Test
	void deliversMessageWithExpiryOfOneMonth() throws Exception {
		try (RawClient client = client("o15")) {
			client.subscribed("long", 1);
			client.send(client.publish("long", 0, "x",
					RawClient.integer(MqttPropertyType.PUBLICATION_EXPIRY_INTERVAL, 30 * 24 * 3600)));
			assertThat(RawClient.text(client.receivePublish())).isEqualTo("x");
		}
	}

	@Test
	void managementAddressesAreOrdinaryTopics() throws Exception {
		try (RawClient client = client("o16")) {
			client.subscribed("activemq/management", 0);
			client.send(client.publish("activemq/management", 0, "x"));
			assertThat(RawClient.text(client.receivePublish())).isEqualTo("x");
			client.ping();
		}
	}

}
