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
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.artemis.BacklogListener;
import io.statestore.broker.packet.FrameGuard;
import io.statestore.broker.packet.Packets;
import io.statestore.protocol.Topics;

/**
 * Channel handler between the MQTT codec and Artemis. Passes requests to the state store,
 * refuses messages on reserved topics, and reports other packets to the session before
 * they continue to Artemis or the client.
 */
@SuppressWarnings("NullAway.Init") // Set in handlerAdded, which is called first.
final class ClientHandler extends ChannelDuplexHandler implements BacklogListener {

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

	@Override
	public void backlogChanged(boolean full) {
		this.session.backlogChanged(full);
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
	 * @return {@code false} if the packet is malformed, which Artemis handles
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
			case DISCONNECT -> readDisconnect(context, packet);
			default -> context.fireChannelRead(packet);
		}
	}

	/** Artemis may answer several packets with the same identifier in any order. */
	private void readSubscription(ChannelHandlerContext context, MqttMessage packet) {
		Subscriptions subscriptions = this.session.subscriptions();
		if (subscriptions.isInFlight(Packets.packetId(packet))) {
			this.session.disconnect(PROTOCOL_ERROR, "a packet identifier that is in use (MQTT 5 section 2.2.1)");
		}
		else if (packet instanceof MqttSubscribeMessage requested) {
			SessionAccess access = this.session.access();
			MqttSubscribeMessage permitted = (access != null) ? access.subscribing(requested) : requested;
			if (permitted != null) {
				subscriptions.requested(permitted);
				context.fireChannelRead(permitted);
			}
		}
		else {
			subscriptions.requested((MqttUnsubscribeMessage) packet);
			context.fireChannelRead(packet);
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
		SessionAccess access = this.session.access();
		String topic = publish.variableHeader().topicName();
		boolean alias = publish.variableHeader().properties().getProperty(MqttProperties.TOPIC_ALIAS) != null;
		if (Topics.isTooDeep(topic)) {
			this.session.requests().refuseTopic(publish);
		}
		else if (alias) {
			// The broker allows no alias: Artemis disconnects the client.
			context.fireChannelRead(publish);
		}
		else if (ReservedTopics.isRequest(topic)) {
			this.session.requests().add(publish);
		}
		else if (ReservedTopics.contain(topic)) {
			this.session.requests().refuse(publish);
		}
		else if (access != null && !access.topics().mayPublish(topic)) {
			if (publish.fixedHeader().isDup() && publish.fixedHeader().qosLevel() == MqttQoS.EXACTLY_ONCE) {
				access.forget(publish.variableHeader().packetId());
			}
			this.session.requests().deny(publish);
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
		SessionAccess access = this.session.access();
		switch (packet.fixedHeader().messageType()) {
			case CONNACK -> {
				this.connect.write(context, (MqttConnAckMessage) packet);
				context.write(packet, promise);
				this.session.requests().deliverHeld();
			}
			case PUBLISH -> {
				MqttPublishMessage publish = (MqttPublishMessage) packet;
				if (access != null && access.discards(publish, promise)) {
					return;
				}
				if (packet.fixedHeader().qosLevel() == MqttQoS.AT_MOST_ONCE) {
					context.write(packet, promise);
				}
				else {
					this.session.flow().pass(publish, promise);
				}
			}
			case PUBREL -> {
				if (access == null || !access.releases(Packets.packetId(packet), promise)) {
					this.session.flow().brokerReleases(Packets.packetId(packet));
					context.write(packet, promise);
				}
			}
			case PUBCOMP -> {
				if (access != null && access.isForgotten(Packets.packetId(packet))) {
					if (!promise.isVoid()) {
						promise.trySuccess();
					}
				}
				else {
					context.write(packet, promise);
				}
			}
			case SUBACK -> {
				MqttSubAckMessage suback = (MqttSubAckMessage) packet;
				context.write((access != null) ? access.subscribed(suback) : suback, promise);
				this.session.subscriptions().answered(suback);
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

	/** Handles failures of the codec and of this handler, but not those of Artemis. */
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
