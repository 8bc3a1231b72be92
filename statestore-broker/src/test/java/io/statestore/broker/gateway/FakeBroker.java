package io.statestore.broker.gateway;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.statestore.broker.packet.Packets;
import io.statestore.protocol.Topics;

/**
 * A broker on a real socket that accepts every client, grants every subscription, and
 * returns each message to its sender. The test sends everything else.
 */
final class FakeBroker implements AutoCloseable {

	private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

	private final Channel server;

	/** Decides whether a client's packet is answered. Called on the event loop. */
	volatile BiPredicate<Channel, MqttMessage> answered = (channel, packet) -> true;

	/**
	 * Starts a broker.
	 * @param subscribed called on the event loop with the filter of each subscription
	 */
	FakeBroker(BiConsumer<Channel, String> subscribed) {
		this.server = new ServerBootstrap().group(this.group)
			.channel(NioServerSocketChannel.class)
			.childHandler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel channel) {
					channel.pipeline().addLast(new MqttDecoder(1 << 20), MqttEncoder.INSTANCE, new Answers(subscribed));
				}
			})
			.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
			.syncUninterruptibly()
			.channel();
	}

	int port() {
		return ((InetSocketAddress) this.server.localAddress()).getPort();
	}

	/** Sends a message with QoS 0. */
	static void send(Channel channel, String topic, boolean retained, byte... payload) {
		channel.writeAndFlush(MqttMessageBuilders.publish()
			.topicName(topic)
			.qos(MqttQoS.AT_MOST_ONCE)
			.retained(retained)
			.payload(Unpooled.wrappedBuffer(payload))
			.build());
	}

	@Override
	public void close() {
		this.group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
	}

	private final class Answers extends SimpleChannelInboundHandler<MqttMessage> {

		private final BiConsumer<Channel, String> subscribed;

		private Answers(BiConsumer<Channel, String> subscribed) {
			this.subscribed = subscribed;
		}

		@Override
		protected void channelRead0(ChannelHandlerContext context, MqttMessage packet) {
			if (!FakeBroker.this.answered.test(context.channel(), packet)) {
				return;
			}
			if (packet instanceof MqttPublishMessage publish) {
				context.writeAndFlush(Packets.acknowledgment(1, publish.variableHeader().packetId(), 0));
				String topic = publish.variableHeader().topicName();
				if (!topic.equals(Topics.REQUEST)) {
					send(context.channel(), topic, false);
				}
			}
			else if (packet instanceof MqttSubscribeMessage subscribe) {
				context.writeAndFlush(MqttMessageBuilders.subAck()
					.packetId(subscribe.variableHeader().messageId())
					.addGrantedQos(MqttQoS.AT_LEAST_ONCE)
					.build());
				this.subscribed.accept(context.channel(),
						subscribe.payload().topicSubscriptions().get(0).topicFilter());
			}
			else if (packet.fixedHeader().messageType() == MqttMessageType.CONNECT) {
				context.writeAndFlush(MqttMessageBuilders.connAck()
					.returnCode(MqttConnectReturnCode.CONNECTION_ACCEPTED)
					.properties(MqttProperties.NO_PROPERTIES)
					.build());
			}
			else if (packet.fixedHeader().messageType() == MqttMessageType.PINGREQ) {
				context.writeAndFlush(MqttMessage.PINGRESP);
			}
		}

	}

}
