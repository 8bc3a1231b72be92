package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.OutgoingMessage;
import org.junit.jupiter.api.BeforeEach;

/** A flow to an embedded channel. */
abstract class OutboundFlowTest {

	final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());

	final ChannelHandlerContext context = this.channel.pipeline().context(ChannelInboundHandlerAdapter.class);

	final MemoryBudget budget = new MemoryBudget(1_000_000, 100_000);

	int overflows;

	@BeforeEach
	void raiseWaterMark() {
		this.channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 1_000_000_000));
	}

	OutboundFlow flow(int receiveMaximum) {
		return new OutboundFlow(this.context, receiveMaximum, 1_000, this.budget.open(), () -> this.overflows++);
	}

	void pass(OutboundFlow flow, MqttPublishMessage message) {
		flow.pass(message, this.channel.newPromise());
	}

	static OwnPublish own(String payload) {
		return new OwnPublish(message(payload), 1, List.of());
	}

	static OutgoingMessage message(String payload) {
		return new OutgoingMessage(Kind.NOTIFICATION, "topic", payload.getBytes(StandardCharsets.UTF_8), null,
				List.of());
	}

	static MqttPublishMessage ordinary(String payload, int packetId) {
		ByteBuf content = Unpooled.copiedBuffer(payload, StandardCharsets.UTF_8);
		return MqttMessageBuilders.publish()
			.topicName("topic")
			.qos(MqttQoS.AT_LEAST_ONCE)
			.messageId(packetId)
			.payload(content)
			.build();
	}

	/** Returns the packets written since the previous call, as payload or type and id. */
	List<String> written() {
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
