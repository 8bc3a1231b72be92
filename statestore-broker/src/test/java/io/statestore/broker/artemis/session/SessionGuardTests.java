package io.statestore.broker.artemis.session;

import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.List;
import java.util.Set;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageIdAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttSubscribePayload;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.artemis.disk.DiskSpace;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.mqtt.MqttBrokerTest;
import io.statestore.broker.mqtt.NettyPackets;
import io.statestore.test.RawMqttConnection;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A guard that uses the ledgers of a broker, but passes no packets to Artemis. */
class SessionGuardTests extends MqttBrokerTest {

	private static final int QUOTA_EXCEEDED = 0x97;

	private static final int PER_CLIENT = 400_000;

	private static final SimpleString TOPIC = SimpleString.of("t");

	private final EmbeddedChannel channel = new EmbeddedChannel();

	SessionGuardTests() {
		this.budget = new MemoryBudget(10 * PER_CLIENT, PER_CLIENT);
	}

	@AfterEach
	void close() {
		this.channel.finishAndReleaseAll();
	}

	@Test
	void sweepKeepsFiltersOfArrivingSubscribe() throws Exception {
		try (RawMqttConnection client = client("g1")) {
			client.ping();
			connect("g1");
			List<MqttTopicSubscription> subscriptions = new AbstractList<>() {
				@Override
				public MqttTopicSubscription get(int index) {
					if (index == 1) {
						sessions().sweep();
					}
					return new MqttTopicSubscription("t" + index, MqttQoS.AT_LEAST_ONCE);
				}

				@Override
				public int size() {
					return 2;
				}
			};
			this.channel.writeInbound(subscribe(subscriptions));
			sessions().sweep();
			assertThat(sessions().queues().contains("g1/.t0")).isTrue();
			assertThat(sessions().queues().contains("g1/.t1")).isTrue();
		}
	}

	@Test
	void refusedSubscribeDoesNotStopSweeps() throws Exception {
		try (RawMqttConnection client = client("g2")) {
			client.ping();
			SessionMemory session = connect("g2");
			this.channel.writeInbound(subscribe(List.of(new MqttTopicSubscription("$share/g", MqttQoS.AT_LEAST_ONCE))));
			this.channel.flushOutbound();
			assertThat(this.channel.<Object>readOutbound()).isInstanceOf(MqttSubAckMessage.class);
			session.add("unknown");
			sessions().sweep();
			assertThat(session.contains("unknown")).isFalse();
		}
	}

	@Test
	void passesRepetitionWhenMemoryIsExhausted() {
		SessionMemory session = connect("g3");
		publish(2, false, 1);
		assertPassed();
		topics().afterRemoveAddress(TOPIC, null);
		exhaust(session.memory(), 0);
		publish(2, false, 1);
		assertPassed();
		publish(2, false, 2);
		assertRefused();
	}

	@Test
	void refusedMessageOfQos2LeavesNoPacketId() {
		SessionMemory session = connect("g4");
		exhaust(session.memory(), UnreleasedIds.COST);
		long before = session.memory().used();
		publish(2, false, 1);
		assertRefused();
		assertThat(session.memory().used()).isEqualTo(before);
		assertThat(session.isUnreleased(1)).isFalse();
	}

	@Test
	void refusedRetainedMessageLeavesNoTopic() {
		SessionMemory session = connect("g5");
		exhaust(session.memory(), 2 * TopicLedger.TOPIC_COST);
		long before = session.memory().used();
		publish(1, true, 1);
		assertRefused();
		assertThat(session.memory().used()).isEqualTo(before);
		publish(1, false, 1);
		assertPassed();
		publish(1, true, 1);
		assertRefused();
		assertThat(this.budget.used(MemoryUse.TOPIC)).as("topic in use").isPositive();
	}

	@Test
	void newSessionHasNoEarlierPacketIds() {
		ClientShare memory = this.budget.open();
		SessionMemory session = new SessionMemory("g6/", memory, sessions().queues());
		session.tryConnect(true, 0, 0);
		session.tryReceive(1);
		session.tryReceive(2);
		session.tryConnect(true, 0, 0);
		session.tryReceive(2);
		session.tryReceive(3);
		assertThat(session.isUnreleased(1)).isFalse();
		session.started(false, Set.of());
		assertThat(session.isUnreleased(2)).isTrue();
		assertThat(session.isUnreleased(3)).isTrue();
		assertThat(memory.used()).isEqualTo(SessionMemory.SESSION_COST + 2 * UnreleasedIds.COST);
		session.tryConnect(true, 0, 0);
		session.started(true, Set.of());
		assertThat(session.isUnreleased(2)).isTrue();
	}

	private SessionMemory connect(String clientId) {
		this.channel.pipeline().addLast(new SessionGuard(sessions(), topics(), DiskSpace.UNLIMITED, (queues) -> {
		}));
		this.channel.writeInbound(NettyPackets.connect(clientId).build());
		assertPassed();
		SessionMemory session = sessions().attach(QueueNames.clientId(clientId));
		session.detach();
		return session;
	}

	private SessionLedger sessions() {
		return field("ledger", SessionLedger.class);
	}

	private TopicLedger topics() {
		return field("topics", TopicLedger.class);
	}

	private <T> T field(String name, Class<T> type) {
		return assertThat(this.broker).extracting("artemis.sessions." + name, InstanceOfAssertFactories.type(type))
			.actual();
	}

	/** Exhausts the memory of a client except for a number of bytes. */
	private static void exhaust(ClientShare memory, long left) {
		memory.reserve(MemoryUse.SUBSCRIPTION, PER_CLIENT - memory.used() - left);
	}

	private void publish(int qos, boolean retained, int packetId) {
		this.channel.writeInbound(MqttMessageBuilders.publish()
			.topicName(TOPIC.toString())
			.qos(MqttQoS.valueOf(qos))
			.retained(retained)
			.messageId(packetId)
			.payload(Unpooled.copiedBuffer("x", StandardCharsets.UTF_8))
			.build());
		this.channel.flushOutbound();
	}

	private void assertPassed() {
		Object passed = this.channel.readInbound();
		assertThat(passed).isNotNull();
		ReferenceCountUtil.release(passed);
		assertThat(this.channel.<Object>readOutbound()).isNull();
	}

	private void assertRefused() {
		assertThat((Object) this.channel.<MqttPublishMessage>readInbound()).isNull();
		MqttMessage answer = this.channel.readOutbound();
		assertThat(NettyPackets.reason(answer)).isEqualTo(QUOTA_EXCEEDED);
	}

	private static MqttSubscribeMessage subscribe(List<MqttTopicSubscription> subscriptions) {
		return new MqttSubscribeMessage(
				new MqttFixedHeader(MqttMessageType.SUBSCRIBE, false, MqttQoS.AT_LEAST_ONCE, false, 0),
				new MqttMessageIdAndPropertiesVariableHeader(1, MqttProperties.NO_PROPERTIES),
				new MqttSubscribePayload(subscriptions));
	}

}
