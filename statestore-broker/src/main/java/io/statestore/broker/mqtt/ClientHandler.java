package io.statestore.broker.mqtt;

import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.CodecException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.statestore.broker.packet.FrameGuard;
import io.statestore.broker.packet.Packets;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the MQTT codec and the broker in the pipeline of one connection. Takes
 * requests out of the stream, keeps clients off the topics of the state store, shows the
 * session what it needs to know, and lets everything else pass.
 */
@SuppressWarnings("NullAway.Init") // handlerAdded comes first and sets the rest
final class ClientHandler extends ChannelDuplexHandler {

	/** From the first bytes to a successful CONNACK. */
	private static final long CONNECT_TIMEOUT_SECONDS = 10;

	private static final int PROTOCOL_ERROR = 0x82;

	private static final int PACKET_TOO_LARGE = 0x95;

	private final ConnectRules rules;

	private final Function<ChannelHandlerContext, ClientSession> sessions;

	private ClientSession session;

	private Future<?> connectTimeout;

	private int keepAliveSeconds;

	private @Nullable Integer cappedSessionExpiry;

	private @Nullable String assignedClientId;

	ClientHandler(ConnectRules rules, Function<ChannelHandlerContext, ClientSession> sessions) {
		this.rules = rules;
		this.sessions = sessions;
	}

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		this.session = this.sessions.apply(context);
		this.connectTimeout = context.executor()
			.schedule(() -> context.close(), CONNECT_TIMEOUT_SECONDS, TimeUnit.SECONDS);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		this.session.readingStarted();
		if (this.session.isEnded() || !(message instanceof MqttMessage packet)) {
			ReferenceCountUtil.release(message);
		}
		else if (packet.decoderResult().cause() instanceof TooLongFrameException) {
			ReferenceCountUtil.release(message);
			this.session.disconnect(PACKET_TOO_LARGE, "the packet is larger than the maximum packet size");
		}
		else if (packet.decoderResult().cause() instanceof FrameGuard.MemoryExceededException) {
			ReferenceCountUtil.release(message);
			this.session.disconnect(ClientSession.QUOTA_EXCEEDED, "the memory for this packet is exhausted");
		}
		else if (packet.decoderResult().cause() instanceof FrameGuard.SecondConnectException) {
			ReferenceCountUtil.release(message);
			this.session.disconnect(PROTOCOL_ERROR, "a second CONNECT");
		}
		else if (packet.decoderResult().isFailure()) {
			context.fireChannelRead(packet);
		}
		else {
			read(context, packet);
		}
	}

	private void read(ChannelHandlerContext context, MqttMessage packet) {
		switch (packet.fixedHeader().messageType()) {
			case CONNECT -> readConnect(context, (MqttConnectMessage) packet);
			case PUBLISH -> readPublish(context, (MqttPublishMessage) packet);
			case PUBACK -> {
				if (this.session.flow().acknowledged(Packets.packetId(packet))) {
					ReferenceCountUtil.release(packet);
				}
				else {
					context.fireChannelRead(packet);
				}
			}
			case PUBREC -> {
				if (Packets.isFailure(packet)) {
					this.session.flow().completed(Packets.packetId(packet));
				}
				context.fireChannelRead(packet);
			}
			case PUBCOMP -> {
				this.session.flow().completed(Packets.packetId(packet));
				context.fireChannelRead(packet);
			}
			case SUBSCRIBE -> {
				this.session.subscriptions().requested((MqttSubscribeMessage) packet);
				context.fireChannelRead(packet);
			}
			case UNSUBSCRIBE -> {
				this.session.subscriptions().requested((MqttUnsubscribeMessage) packet);
				context.fireChannelRead(packet);
			}
			case DISCONNECT -> readDisconnect(context, packet);
			default -> context.fireChannelRead(packet);
		}
	}

	private void readConnect(ChannelHandlerContext context, MqttConnectMessage received) {
		MqttConnectMessage connect = ClientIds.assigned(received);
		MqttMessage refusal = this.rules.refusal(connect);
		if (refusal == null && !this.session.tryReserve(connect)) {
			refusal = Packets.refusalForMemory(connect.variableHeader().version());
		}
		if (refusal != null) {
			ReferenceCountUtil.release(connect);
			this.session.end();
			context.writeAndFlush(refusal).addListener(ChannelFutureListener.CLOSE);
		}
		else {
			this.keepAliveSeconds = connect.variableHeader().keepAliveTimeSeconds();
			if (ClientIds.isMissing(received) && connect.variableHeader().version() == Packets.MQTT_5) {
				this.assignedClientId = connect.payload().clientIdentifier();
			}
			this.session.connecting(connect);
			this.cappedSessionExpiry = Intervals.adjust(connect);
			context.fireChannelRead(connect);
		}
	}

	private void readDisconnect(ChannelHandlerContext context, MqttMessage disconnect) {
		this.session.end();
		if (disconnect.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header) {
			Intervals.adjustSessionExpiry(header.properties());
		}
		context.fireChannelRead(disconnect);
	}

	private void readPublish(ChannelHandlerContext context, MqttPublishMessage publish) {
		String topic = publish.variableHeader().topicName();
		boolean alias = publish.variableHeader().properties().getProperty(MqttPropertyType.TOPIC_ALIAS.value()) != null;
		if (alias) {
			// We allow none: the broker ends the connection for it.
			context.fireChannelRead(publish);
		}
		else if (topic.equals(Topics.REQUEST)) {
			this.session.request(publish);
		}
		else if (ReservedTopics.contain(topic)) {
			this.session.refuse(publish);
		}
		else {
			Intervals.adjustMessageExpiry(publish.variableHeader().properties());
			context.fireChannelRead(publish);
		}
	}

	@Override
	public void channelReadComplete(ChannelHandlerContext context) {
		this.session.readingPaused();
		context.fireChannelReadComplete();
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		if (!(message instanceof MqttMessage packet)) {
			context.write(message, promise);
		}
		else if (this.session.isEnded()) {
			ReferenceCountUtil.release(message);
		}
		else {
			write(context, packet, promise);
		}
	}

	private void write(ChannelHandlerContext context, MqttMessage packet, ChannelPromise promise) {
		switch (packet.fixedHeader().messageType()) {
			case CONNACK -> {
				writeConnAck(context, (MqttConnAckMessage) packet);
				context.write(packet, promise);
				this.session.deliverHeld();
			}
			case PUBLISH -> {
				if (packet.fixedHeader().qosLevel() == MqttQoS.AT_MOST_ONCE) {
					context.write(packet, promise);
				}
				else {
					this.session.flow().pass((MqttPublishMessage) packet, promise);
				}
			}
			case PUBREL -> {
				this.session.flow().brokerReleases(Packets.packetId(packet));
				context.write(packet, promise);
			}
			case SUBACK -> {
				context.write(packet, promise);
				this.session.subscriptions().answered((MqttSubAckMessage) packet);
				this.session.deliverHeld();
			}
			case UNSUBACK -> {
				context.write(packet, promise);
				this.session.subscriptions().answered((MqttUnsubAckMessage) packet);
				this.session.deliverHeld();
			}
			case DISCONNECT -> {
				context.write(packet, promise);
				this.session.end();
			}
			default -> context.write(packet, promise);
		}
	}

	private void writeConnAck(ChannelHandlerContext context, MqttConnAckMessage connack) {
		if (connack.variableHeader().connectReturnCode() == MqttConnectReturnCode.CONNECTION_ACCEPTED) {
			this.connectTimeout.cancel(false);
			this.session.connected(connack);
			if (this.assignedClientId != null) {
				connack.variableHeader()
					.properties()
					.add(new StringProperty(MqttPropertyType.ASSIGNED_CLIENT_IDENTIFIER.value(),
							this.assignedClientId));
			}
			KeepAlive.start(context.pipeline(), this.keepAliveSeconds, connack, this.session::keepAliveExpired);
			if (this.cappedSessionExpiry != null) {
				connack.variableHeader()
					.properties()
					.add(new IntegerProperty(MqttPropertyType.SESSION_EXPIRY_INTERVAL.value(),
							this.cappedSessionExpiry));
			}
		}
	}

	@Override
	public void channelWritabilityChanged(ChannelHandlerContext context) {
		this.session.writabilityChanged();
		context.fireChannelWritabilityChanged();
	}

	/** Failures of the codec and of this handler; those of Artemis come later. */
	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		Throwable root = (cause instanceof CodecException && cause.getCause() != null) ? cause.getCause() : cause;
		if (root instanceof Error error) {
			this.session.failed(error);
		}
		else {
			context.fireExceptionCaught(cause);
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		this.connectTimeout.cancel(false);
		this.session.end();
		context.fireChannelInactive();
	}

}
