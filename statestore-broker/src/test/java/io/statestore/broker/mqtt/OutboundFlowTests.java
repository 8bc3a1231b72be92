package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import ch.qos.logback.classic.Level;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.BinaryProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttProperties.UserProperty;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutboundFlowTests {

	private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());

	private final ChannelHandlerContext context = this.channel.pipeline().context(ChannelInboundHandlerAdapter.class);

	private final MemoryBudget budget = new MemoryBudget(1_000_000, 100_000);

	private int overflows;

	@BeforeEach
	void staysWritable() {
		this.channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 1_000_000_000));
	}

	private OutboundFlow flow(int receiveMaximum) {
		return new OutboundFlow(this.context, receiveMaximum, 1_000, this.budget.open(), () -> this.overflows++);
	}

	@Test
	void picksIdsFromTheFarEndAndUsesThemAgain() {
		OutboundFlow flow = flow(10);
		flow.publish(own("a"));
		flow.publish(own("b"));
		assertThat(written()).containsExactly("a@65535", "b@65534");
		assertThat(flow.acknowledged(65_535)).isTrue();
		flow.publish(own("c"));
		assertThat(written()).containsExactly("c@65535");
	}

	@Test
	void acknowledgementsOfTheBrokersMessagesAreNotOurs() {
		OutboundFlow flow = flow(10);
		pass(flow, brokers("x", 7));
		assertThat(written()).containsExactly("x@7");
		assertThat(flow.acknowledged(7)).isFalse();
		assertThat(flow.acknowledged(99)).isFalse();
	}

	@Test
	void leavesOutIdsThatTheBrokerHasInFlight() {
		OutboundFlow flow = flow(10);
		pass(flow, brokers("x", 65_535));
		flow.brokerReleases(65_534);
		flow.publish(own("a"));
		assertThat(written()).containsExactly("x@65535", "a@65533");
		flow.completed(65_534);
		flow.publish(own("b"));
		assertThat(written()).containsExactly("b@65534");
	}

	@Test
	void holdsAMessageOfTheBrokerWhoseIdIsTakenAndAllThatComesAfter() {
		OutboundFlow flow = flow(10);
		flow.publish(own("a"));
		pass(flow, brokers("x", 65_535));
		flow.publish(own("b"));
		pass(flow, brokers("y", 1));
		assertThat(written()).containsExactly("a@65535");
		assertThat(flow.acknowledged(65_535)).isTrue();
		assertThat(written()).containsExactly("x@65535", "b@65534", "y@1");
	}

	@Test
	void keepsToTheReceiveMaximumOverBothSources() {
		OutboundFlow flow = flow(2);
		flow.publish(own("a"));
		pass(flow, brokers("x", 1));
		flow.publish(own("b"));
		pass(flow, brokers("y", 2));
		flow.publish(own("c"));
		assertThat(written()).containsExactly("a@65535", "x@1");
		flow.completed(1);
		assertThat(written()).containsExactly("b@65534");
		flow.acknowledged(65_535);
		assertThat(written()).containsExactly("y@2");
		flow.acknowledged(2);
		assertThat(written()).containsExactly("c@65535");
	}

	@Test
	void countsAReleasedMessageOfTheBrokerOnce() {
		OutboundFlow flow = flow(2);
		pass(flow, brokers("x", 1));
		flow.brokerReleases(1);
		flow.publish(own("a"));
		assertThat(written()).containsExactly("x@1", "a@65535");
		flow.completed(1);
		flow.completed(1);
		flow.publish(own("b"));
		flow.publish(own("c"));
		assertThat(written()).containsExactly("b@65534");
	}

	@Test
	void doesNotTakeAPubcompForAnAcknowledgementOfOurs() {
		OutboundFlow flow = flow(1);
		flow.publish(own("a"));
		flow.completed(65_535);
		flow.publish(own("b"));
		assertThat(written()).containsExactly("a@65535");
	}

	@Test
	void acknowledgesARequestAfterItsReply() {
		OutboundFlow flow = flow(1);
		flow.publish(own("reply 1"));
		flow.acknowledge(Packets.acknowledgement(5, 1, 11, 0));
		flow.publish(own("reply 2"));
		flow.acknowledge(Packets.acknowledgement(5, 1, 12, 0));
		assertThat(written()).containsExactly("reply 1@65535", "PUBACK@11");
		flow.acknowledged(65_535);
		assertThat(written()).containsExactly("reply 2@65535", "PUBACK@12");
	}

	@Test
	void countsQos0RepliesThatTheClientDoesNotRead() {
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
	void sendsQos0WithoutAnIdAndWithoutRoom() {
		OutboundFlow flow = flow(1);
		flow.publish(own("a"));
		flow.publish(new OwnPublish(message("b"), 0, List.of()));
		assertThat(written()).containsExactly("a@65535", "b@-1");
	}

	@Test
	void dropsWhatIsTooLargeForTheClientAndWarnsOnce() {
		CapturedLog log = new CapturedLog(OutboundFlow.class, Level.WARN);
		OutboundFlow flow = flow(10);
		OwnPublish tooLarge = own("x".repeat(1_000));
		flow.publish(tooLarge);
		int room = 1_000 - (int) own("").size() - 1;
		flow.publish(own("y".repeat(room)));
		flow.publish(own("z".repeat(room + 1)));
		log.close();
		assertThat(written()).containsExactly("y".repeat(room) + "@65535");
		assertThat(log.messages()).singleElement()
			.asString()
			.contains("NOTIFICATION", "at most 1000 bytes")
			.doesNotContain("xxx");
	}

	@Test
	void waitsForTheChannelToBeWritable() {
		OutboundFlow flow = flow(10);
		this.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
		flow.publish(own("a"));
		pass(flow, brokers("x", 1));
		assertThat(written()).isEmpty();
		this.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
		flow.drain();
		assertThat(written()).containsExactly("a@65535", "x@1");
	}

	@Test
	void sendsOnceWhenWritabilityChanges() {
		OutboundFlow flow = flow(1_000);
		this.channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 300));
		this.channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
			@Override
			public void channelWritabilityChanged(ChannelHandlerContext context) {
				flow.drain();
				context.flush();
			}
		});
		this.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
		List<String> expected = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			flow.publish(own("m" + i));
			flow.acknowledge(Packets.acknowledgement(5, 1, 1 + i, 0));
			expected.add("m" + i + "@" + (65_535 - i));
			expected.add("PUBACK@" + (1 + i));
		}
		assertThat(this.channel.outboundMessages()).isEmpty();
		this.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
		this.channel.runPendingTasks();
		assertThat(written()).isEqualTo(expected);
	}

	@Test
	void reportsOverflowWhenMemoryOfClientIsUsedUp() {
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
	void reportsOverflowWhenMemoryOfAllClientsIsUsedUp() {
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
	void releasesMemoryOfMessagesThatAreSent() {
		OutboundFlow flow = flow(1);
		flow.publish(own("a"));
		flow.publish(own("b"));
		pass(flow, brokers("x", 1));
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
		properties.add(new BinaryProperty(MqttPropertyType.CORRELATION_DATA.value(), new byte[2_000]));
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
	void releasesWhatWaitsWhenItIsClosed() {
		OutboundFlow flow = flow(1);
		flow.publish(own("a"));
		MqttPublishMessage waiting = brokers("x", 1);
		pass(flow, waiting);
		flow.close();
		assertThat(waiting.refCnt()).isZero();
		assertThat(this.budget.used()).isZero();
		flow.acknowledged(65_535);
		assertThat(written()).containsExactly("a@65535");
	}

	@Test
	void endsConnectionWhoseMessageCannotBeWritten() {
		List<Throwable> caught = new ArrayList<>();
		this.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
			@Override
			public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
				promise.setFailure(new OutOfMemoryError("on purpose"));
			}
		});
		this.channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
			@Override
			public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
				caught.add(cause);
			}
		});
		flow(10).publish(own("a"));
		this.channel.runPendingTasks();
		assertThat(this.channel.isOpen()).isFalse();
		assertThat(caught).singleElement().isInstanceOf(OutOfMemoryError.class);
	}

	@Test
	void waitsWhenAllIdsAreTaken() {
		OutboundFlow flow = flow(100_000);
		for (int i = 0; i < 65_535; i++) {
			flow.publish(own("a"));
		}
		assertThat(written()).hasSize(65_535).doesNotHaveDuplicates().contains("a@1").doesNotContain("a@0");
		flow.publish(own("b"));
		assertThat(written()).isEmpty();
		flow.acknowledged(4_711);
		assertThat(written()).containsExactly("b@4711");
	}

	private void pass(OutboundFlow flow, MqttPublishMessage message) {
		flow.pass(message, this.channel.newPromise());
	}

	private static OwnPublish own(String payload) {
		return new OwnPublish(message(payload), 1, List.of());
	}

	private static OutgoingMessage message(String payload) {
		return new OutgoingMessage(Kind.NOTIFICATION, "topic", payload.getBytes(StandardCharsets.UTF_8), null,
				List.of());
	}

	private static MqttPublishMessage brokers(String payload, int packetId) {
		ByteBuf content = Unpooled.copiedBuffer(payload, StandardCharsets.UTF_8);
		return MqttMessageBuilders.publish()
			.topicName("topic")
			.qos(MqttQoS.AT_LEAST_ONCE)
			.messageId(packetId)
			.payload(content)
			.build();
	}

	private List<String> written() {
		this.channel.flushOutbound();
		List<String> result = new ArrayList<>();
		Object sent = this.channel.readOutbound();
		while (sent != null) {
			MqttMessage message = (sent instanceof ByteBuf packet) ? NettyPackets.decoded(packet) : (MqttMessage) sent;
			boolean publish = message.fixedHeader().messageType() == MqttMessageType.PUBLISH;
			result.add(publish
					? NettyPackets.text((MqttPublishMessage) message) + "@"
							+ ((MqttPublishMessage) message).variableHeader().packetId()
					: message.fixedHeader().messageType() + "@" + Packets.packetId(message));
			sent = this.channel.readOutbound();
		}
		return result;
	}

}
