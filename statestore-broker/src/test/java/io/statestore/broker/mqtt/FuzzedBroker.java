package io.statestore.broker.mqtt;

import java.util.stream.Stream;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.packet.Packets;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** Minimal broker. Closes the connection after a malformed packet. */
final class FuzzedBroker extends ChannelInboundHandlerAdapter {

	/** An exception that has reached this broker. */
	@Nullable Throwable failure;

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		try {
			MqttMessage packet = (MqttMessage) message;
			if (packet.decoderResult().isFailure()) {
				context.close();
			}
			else {
				answer(context, packet);
			}
		}
		finally {
			ReferenceCountUtil.release(message);
		}
	}

	private static void answer(ChannelHandlerContext context, MqttMessage packet) {
		assertThat(topics(packet)).noneMatch(FuzzedBroker::isTooDeep);
		assertThat(filters(packet)).noneMatch(Topics::isFilterTooDeep);
		switch (packet.fixedHeader().messageType()) {
			case CONNECT -> context.writeAndFlush(MqttMessageBuilders.connAck()
				.returnCode(MqttConnectReturnCode.CONNECTION_ACCEPTED)
				.sessionPresent(false)
				.build());
			case SUBSCRIBE -> {
				MqttMessageBuilders.SubAckBuilder subAck = MqttMessageBuilders.subAck()
					.packetId(Packets.packetId(packet));
				((MqttSubscribeMessage) packet).payload()
					.topicSubscriptions()
					.forEach((topic) -> subAck.addGrantedQos(MqttQoS.AT_LEAST_ONCE));
				context.writeAndFlush(subAck.build());
			}
			case UNSUBSCRIBE -> context.writeAndFlush(MqttMessageBuilders.unsubAck()
				.packetId(Packets.packetId(packet))
				.addReasonCodes(((MqttUnsubscribeMessage) packet).payload()
					.topics()
					.stream()
					.map((topic) -> (short) 0)
					.toArray(Short[]::new))
				.build());
			case PINGREQ -> context.writeAndFlush(MqttMessage.PINGRESP);
			case DISCONNECT -> context.close();
			default -> {
				// No answer is needed.
			}
		}
	}

	private static boolean isTooDeep(String topic) {
		return topic.chars().filter((c) -> c == '/').count() >= Topics.MAX_LEVELS;
	}

	private static Stream<String> filters(MqttMessage packet) {
		return (packet instanceof MqttSubscribeMessage subscribe)
				? subscribe.payload().topicSubscriptions().stream().map(MqttTopicSubscription::topicFilter)
				: Stream.empty();
	}

	/** Returns the topics of messages and wills. */
	private static Stream<String> topics(MqttMessage packet) {
		if (packet instanceof MqttConnectMessage connect) {
			return Stream.ofNullable(connect.payload().willTopic());
		}
		if (packet instanceof MqttPublishMessage publish) {
			return Stream.of(publish.variableHeader().topicName());
		}
		return Stream.empty();
	}

	/** Keeps the exception. Netty would only log one that this method throws. */
	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		this.failure = cause;
	}

}
