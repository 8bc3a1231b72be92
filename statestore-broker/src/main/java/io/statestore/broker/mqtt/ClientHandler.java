package io.statestore.broker.mqtt;

import java.io.IOException;
import java.util.function.Function;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.CodecException;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.statestore.broker.packet.FrameGuard.RefusedPacketException;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.mqtt.Publish;
import io.statestore.protocol.Topics;

/**
 * Channel handler at the end of the pipeline, after the MQTT codec. Passes each packet to
 * the part of the {@link MqttConnection} that handles it.
 */
@SuppressWarnings("NullAway.Init") // Set in handlerAdded, which is called first.
final class ClientHandler extends ChannelInboundHandlerAdapter {

	private final Function<ChannelHandlerContext, ConnectExchange> opener;

	private ConnectExchange connect;

	private MqttConnection connection;

	private ClientLink link;

	/**
	 * Creates a handler for one connection.
	 * @param opener creates the exchange, with its connection
	 */
	ClientHandler(Function<ChannelHandlerContext, ConnectExchange> opener) {
		this.opener = opener;
	}

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		this.connect = this.opener.apply(context);
		this.connection = this.connect.connection();
		this.link = this.connection.link();
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		this.link.readingStarted();
		if (this.link.isEnded()) {
			return;
		}
		if (message instanceof MqttMessage packet) {
			read(context, packet);
		}
		else if (!this.link.isAccepted()) {
			this.link.close();
		}
		else if (context.channel().isActive()) {
			read((Publish) message);
		}
	}

	private void read(ChannelHandlerContext context, MqttMessage packet) {
		if (!context.channel().isActive()) {
			disconnectAfterEnd(packet);
		}
		else if (packet.decoderResult().isFailure()) {
			disconnect(packet.decoderResult().cause());
		}
		else if (packet.fixedHeader().messageType() == MqttMessageType.CONNECT) {
			this.connect.read((MqttConnectMessage) packet);
		}
		else if (this.link.isAccepted()) {
			read(packet);
		}
		else {
			this.link.close();
		}
	}

	/**
	 * Handles a packet that was not read before the client closed the connection, because
	 * reading was suspended. Only a DISCONNECT matters, because it may remove the will.
	 */
	private void disconnectAfterEnd(MqttMessage packet) {
		if (packet.decoderResult().isSuccess() && packet.fixedHeader().messageType() == MqttMessageType.DISCONNECT) {
			this.connection.disconnected(packet);
		}
	}

	private void disconnect(Throwable failure) {
		if (failure instanceof RefusedPacketException refused) {
			this.link.disconnect(refused.reasonCode(), String.valueOf(refused.getMessage()));
		}
		else {
			this.link.disconnect(ReasonCodes.MALFORMED_PACKET, "a malformed packet");
		}
	}

	private void read(MqttMessage packet) {
		MqttMessageType type = packet.fixedHeader().messageType();
		switch (type) {
			case PUBACK, PUBCOMP -> this.connection.flow().completed(Packets.packetId(packet));
			case PUBREC -> this.connection.flow().received(packet);
			case PUBREL -> this.connection.messages().released(Packets.packetId(packet));
			case SUBSCRIBE -> this.connection.subscriptions().subscribe((MqttSubscribeMessage) packet);
			case UNSUBSCRIBE -> this.connection.subscriptions().unsubscribe((MqttUnsubscribeMessage) packet);
			case PINGREQ -> this.link.write(MqttMessage.PINGRESP);
			case AUTH -> this.connect.readAuth(packet);
			case DISCONNECT -> this.connection.disconnected(packet);
			default -> this.link.disconnect(ReasonCodes.PROTOCOL_ERROR, "a packet of type " + type);
		}
	}

	private void read(Publish publish) {
		String topic = publish.topic();
		boolean ordinary = !TopicDecision.isRequest(topic) && !TopicDecision.isReserved(topic);
		if (Topics.isTooDeep(topic)) {
			this.connection.requests().refuseDeepTopic(publish);
		}
		else if (ordinary || publish.hasTopicAlias()) {
			// The topic may be empty if there is an alias.
			this.connection.messages().publish(publish);
		}
		else if (TopicDecision.isRequest(topic)) {
			this.connection.requests().add(publish);
		}
		else {
			this.connection.requests().refuseReservedTopic(publish);
		}
	}

	@Override
	public void channelReadComplete(ChannelHandlerContext context) {
		this.link.readingPaused();
	}

	@Override
	public void channelWritabilityChanged(ChannelHandlerContext context) {
		this.connection.writabilityChanged();
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		Throwable root = (cause instanceof CodecException) ? cause.getCause() : null;
		// Can be an IOException if the TLS connection from a forwarding node fails.
		this.link.failed((root instanceof Error || root instanceof IOException) ? root : cause);
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		this.connect.cancel();
		this.link.end();
		// channelReadComplete might not be called after the last packets.
		this.link.readingPaused();
	}

}
