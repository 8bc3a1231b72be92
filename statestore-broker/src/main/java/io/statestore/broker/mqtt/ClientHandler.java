package io.statestore.broker.mqtt;

import java.util.function.Function;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.CodecException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.packet.FrameGuard;
import io.statestore.broker.packet.Packets;
import io.statestore.protocol.Topics;

/**
 * Channel handler between the MQTT codec and {@link SessionHandler}. Passes requests to
 * the state store, refuses messages on reserved topics, and reports other packets to the
 * {@link ClientSession} before they continue to the next handler or the client.
 */
@SuppressWarnings("NullAway.Init") // Set in handlerAdded, which is called first.
final class ClientHandler extends ChannelDuplexHandler {

	private static final int PROTOCOL_ERROR = 0x82;

	private static final int PACKET_TOO_LARGE = 0x95;

	private final ClientAccess access;

	private final Function<ChannelHandlerContext, ClientSession> sessions;

	private ClientSession session;

	private ConnectExchange connect;

	/**
	 * Creates a handler for one connection.
	 * @param access logins of clients
	 * @param sessions creates its session
	 */
	ClientHandler(ClientAccess access, Function<ChannelHandlerContext, ClientSession> sessions) {
		this.access = access;
		this.sessions = sessions;
	}

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		this.session = this.sessions.apply(context);
		this.connect = new ConnectExchange(context, this.access, this.session);
	}

	/** Handles a change in whether too many changes of the session are pending. */
	void pendingChanged(boolean full) {
		this.session.pendingChanged(full);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		this.session.readingStarted();
		if (this.session.isEnded() || !(message instanceof MqttMessage packet)) {
			ReferenceCountUtil.release(message);
		}
		else if (this.connect.waiting().isWaiting()) {
			this.connect.waiting().add(packet);
		}
		else if (!packet.decoderResult().isFailure()) {
			read(context, packet);
		}
		else if (!disconnect(packet.decoderResult().cause())) {
			context.fireChannelRead(packet);
		}
		else {
			ReferenceCountUtil.release(message);
		}
	}

	/**
	 * Disconnects the client if {@link FrameGuard} has refused a packet.
	 * @return {@code false} if the packet is malformed, which {@link SessionHandler}
	 * handles
	 */
	private boolean disconnect(Throwable failure) {
		if (failure instanceof TooLongFrameException) {
			this.session.disconnect(PACKET_TOO_LARGE, "the packet is larger than the maximum packet size");
		}
		else if (failure instanceof FrameGuard.MemoryExceededException) {
			this.session.disconnect(ClientSession.QUOTA_EXCEEDED, "the memory for this packet is exhausted");
		}
		else if (failure instanceof FrameGuard.SecondConnectException) {
			this.session.disconnect(PROTOCOL_ERROR, "a second CONNECT");
		}
		else {
			return false;
		}
		return true;
	}

	private void read(ChannelHandlerContext context, MqttMessage packet) {
		switch (packet.fixedHeader().messageType()) {
			case CONNECT -> this.connect.read(context, (MqttConnectMessage) packet);
			case PUBLISH -> readPublish(context, (MqttPublishMessage) packet);
			case PUBACK -> {
				if (this.session.acknowledged(Packets.packetId(packet))) {
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
			case SUBSCRIBE, UNSUBSCRIBE -> readSubscription(context, packet);
			case AUTH -> this.connect.readAuth(packet);
			case DISCONNECT -> {
				this.session.end();
				context.fireChannelRead(packet);
			}
			default -> context.fireChannelRead(packet);
		}
	}

	/** The filters of a packet are known by its identifier until the answer. */
	private void readSubscription(ChannelHandlerContext context, MqttMessage packet) {
		Subscriptions subscriptions = this.session.subscriptions();
		if (subscriptions.isInFlight(Packets.packetId(packet))) {
			this.session.disconnect(PROTOCOL_ERROR, "a packet identifier that is in use (MQTT 5 section 2.2.1)");
		}
		else if (packet instanceof MqttSubscribeMessage requested) {
			subscriptions.requested(requested);
			context.fireChannelRead(requested);
		}
		else {
			subscriptions.requested((MqttUnsubscribeMessage) packet);
			context.fireChannelRead(packet);
		}
	}

	private void readPublish(ChannelHandlerContext context, MqttPublishMessage publish) {
		String topic = publish.variableHeader().topicName();
		boolean alias = publish.variableHeader().properties().getProperty(MqttProperties.TOPIC_ALIAS) != null;
		if (Topics.isTooDeep(topic)) {
			this.session.requests().refuseTopic(publish);
		}
		else if (alias) {
			// The broker allows no alias: the next handler disconnects the client.
			context.fireChannelRead(publish);
		}
		else if (ReservedTopics.isRequest(topic)) {
			this.session.requests().add(publish);
		}
		else if (ReservedTopics.contain(topic)) {
			this.session.requests().refuse(publish);
		}
		else {
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
				this.connect.write(context, (MqttConnAckMessage) packet);
				context.write(packet, promise);
				this.session.requests().deliverHeld();
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
				this.session.flow().releasing(Packets.packetId(packet));
				context.write(packet, promise);
			}
			case SUBACK -> {
				context.write(packet, promise);
				this.session.subscriptions().answered((MqttSubAckMessage) packet);
				this.session.requests().deliverHeld();
			}
			case UNSUBACK -> {
				context.write(packet, promise);
				this.session.subscriptions().answered((MqttUnsubAckMessage) packet);
				this.session.requests().deliverHeld();
			}
			case DISCONNECT -> {
				context.write(packet, promise);
				this.session.end();
			}
			default -> context.write(packet, promise);
		}
	}

	@Override
	public void channelWritabilityChanged(ChannelHandlerContext context) {
		this.session.writabilityChanged();
		context.fireChannelWritabilityChanged();
	}

	/**
	 * Handles failures of the codec and of this handler, but not those of the next one.
	 */
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
		this.connect.cancel();
		this.session.end();
		context.fireChannelInactive();
	}

}
