package io.statestore.broker.artemis.session;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.mqtt.MqttBrokerTest;
import io.statestore.broker.mqtt.RawClient;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/** A broker with small limits on the memory of its clients. */
abstract class ClientMemoryTest extends MqttBrokerTest {

	static final int QUOTA_EXCEEDED = 0x97;

	static final long BUDGET = 2_000_000;

	private static final long PER_CLIENT = 400_000;

	static final IntegerProperty LASTING = RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 100);

	ClientMemoryTest() {
		this.budget = new MemoryBudget(BUDGET, PER_CLIENT);
	}

	static List<String> filters(String pattern, int count) {
		return IntStream.range(0, count).mapToObj((number) -> String.format(pattern, number)).toList();
	}

	static List<Integer> subscribe(RawClient client, List<String> filters) throws IOException {
		MqttMessageBuilders.SubscribeBuilder request = MqttMessageBuilders.subscribe().messageId(client.nextPacketId());
		filters.forEach((filter) -> request.addSubscription(MqttQoS.AT_LEAST_ONCE, filter));
		client.send(request.build());
		return client.receive(MqttSubAckMessage.class)
			.payload()
			.reasonCodes()
			.stream()
			.map((reason) -> reason & 0xFF)
			.toList();
	}

	static MqttPublishMessage retained(RawClient client, String topic, int qos, String payload) {
		return MqttMessageBuilders.publish()
			.topicName(topic)
			.retained(true)
			.qos(MqttQoS.valueOf(qos))
			.messageId((qos > 0) ? client.nextPacketId() : 0)
			.payload(Unpooled.copiedBuffer(payload, StandardCharsets.UTF_8))
			.build();
	}

	static int retain(RawClient client, String topic, int qos, String payload) throws IOException {
		client.send(retained(client, topic, qos, payload));
		return client.receiveReason((qos == 1) ? MqttMessageType.PUBACK : MqttMessageType.PUBREC);
	}

	static MqttConnectMessage olderClient(String clientId, boolean clean) {
		return MqttMessageBuilders.connect()
			.clientId(clientId)
			.protocolVersion(MqttVersion.MQTT_3_1_1)
			.cleanSession(clean)
			.keepAlive(60)
			.build();
	}

	static MqttMessage disconnect(MqttProperties.MqttProperty<?>... properties) {
		return new MqttMessage(new MqttFixedHeader(MqttMessageType.DISCONNECT, false, MqttQoS.AT_MOST_ONCE, false, 0),
				new MqttReasonCodeAndPropertiesVariableHeader((byte) 0, RawClient.properties(properties)));
	}

	/** Waits until all memory is released. */
	void awaitReleased() {
		await(() -> this.budget.used() == 0, "the release of all memory");
		List<MemoryUse> held = new ArrayList<>(List.of(MemoryUse.values()));
		held.removeIf((use) -> this.budget.used(use) == 0);
		assertThat(held).isEmpty();
	}

	void await(Callable<Boolean> condition, String expected) {
		Awaitility.await(expected).atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(20)).until(condition);
	}

}
