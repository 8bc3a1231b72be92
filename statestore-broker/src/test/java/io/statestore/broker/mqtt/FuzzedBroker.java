package io.statestore.broker.mqtt;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.packet.Packets;

/** Minimal broker. Closes the connection after a malformed packet. */
final class FuzzedBroker extends ChannelInboundHandlerAdapter {

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

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		throw new AssertionError("An exception has reached the broker", cause);
	}

}
