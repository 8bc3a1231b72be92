package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.Unpooled;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties.BinaryProperty;
import io.netty.handler.codec.mqtt.MqttProperties.UserProperty;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.OutgoingMessage;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory of the messages in a flow. */
class OutboundFlowMemoryTests extends OutboundFlowTest {

	@Test
	void countsUnreadQos0Replies() {
		this.channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
		OutboundFlow flow = flow(10);
		OutgoingMessage message = new OutgoingMessage(Kind.REPLY, "t", new byte[500], null, List.of());
		for (int i = 0; i < 300; i++) {
			flow.publish(new OwnPublish(message, 0, List.of()));
		}
		assertThat(this.channel.isWritable()).isFalse();
		assertThat(this.budget.used(MemoryUse.OUTGOING)).isBetween(50_000L, 100_000L);
		assertThat(this.overflows).isPositive();
		flow.close();
		assertThat(this.budget.used(MemoryUse.OUTGOING)).isZero();
	}

	@Test
	void reportsOverflowWhenMemoryOfClientIsExhausted() {
		OutboundFlow flow = flow(1);
		flow.publish(own("a"));
		long cost = own("b").size() + OutboundFlow.OVERHEAD;
		for (int i = 0; i < 100_000 / cost; i++) {
			flow.publish(own("b"));
		}
		assertThat(this.overflows).isZero();
		assertThat(this.budget.used(MemoryUse.OUTGOING)).isEqualTo(100_000 / cost * cost);
		flow.publish(own("b"));
		assertThat(this.overflows).isEqualTo(1);
	}

	@Test
	void reportsOverflowWhenBudgetIsExhausted() {
		List<OutboundFlow> flows = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			OutboundFlow flow = new OutboundFlow(this.context, 0, Long.MAX_VALUE, this.budget.open(),
					() -> this.overflows++);
			flows.add(flow);
			flow.publish(own("x".repeat(99_000)));
		}
		assertThat(this.overflows).isEqualTo(1);
		assertThat(this.budget.used()).isLessThanOrEqualTo(750_000);
		flows.get(0).close();
		flows.get(7).publish(own("x".repeat(99_000)));
		assertThat(this.overflows).isEqualTo(1);
	}

	@Test
	void releasesMemoryOfSentMessages() {
		OutboundFlow flow = flow(1);
		flow.publish(own("a"));
		flow.publish(own("b"));
		pass(flow, ordinary("x", 1));
		assertThat(this.budget.used()).isPositive();
		flow.acknowledged(65_535);
		flow.acknowledged(65_535);
		assertThat(written()).containsExactly("a@65535", "b@65535", "x@1");
		assertThat(this.budget.used()).isZero();
	}

	@Test
	void countsTopicAndPropertiesOfWaitingMessage() {
		OutboundFlow flow = flow(0);
		MqttProperties properties = new MqttProperties();
		for (int i = 0; i < 100; i++) {
			properties.add(new UserProperty("", ""));
		}
		properties.add(new UserProperty("name", "x".repeat(1_000)));
		properties.add(new BinaryProperty(MqttProperties.CORRELATION_DATA, new byte[2_000]));
		pass(flow,
				MqttMessageBuilders.publish()
					.topicName("t".repeat(500))
					.qos(MqttQoS.AT_LEAST_ONCE)
					.messageId(1)
					.properties(properties)
					.payload(Unpooled.copiedBuffer("payload", StandardCharsets.UTF_8))
					.build());
		assertThat(this.budget.used(MemoryUse.OUTGOING)).isBetween(100 * 100 + 3_500L, 100 * 200 + 3_500L);
		flow.close();
		assertThat(this.budget.used()).isZero();
	}

	@Test
	void releasesWaitingMessagesOnClose() {
		OutboundFlow flow = flow(1);
		flow.publish(own("a"));
		MqttPublishMessage waiting = ordinary("x", 1);
		pass(flow, waiting);
		flow.close();
		assertThat(waiting.refCnt()).isZero();
		assertThat(this.budget.used()).isZero();
		flow.acknowledged(65_535);
		assertThat(written()).containsExactly("a@65535");
	}

}
