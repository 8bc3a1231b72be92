package io.statestore.broker.mqtt;

import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.statestore.broker.packet.Packets;
import org.jspecify.annotations.Nullable;

/**
 * Exchange of CONNECT and CONNACK on one connection. Closes the connection if it takes
 * more than {@value #TIMEOUT_SECONDS} seconds. Used on the event loop of the connection
 * only.
 */
final class ConnectExchange {

	private static final long TIMEOUT_SECONDS = 10;

	private final ConnectRules rules;

	private final ClientSession session;

	private final Future<?> timeout;

	private int keepAliveSeconds;

	/**
	 * Session expiry granted instead of the requested one, {@code null} if it is kept.
	 */
	private @Nullable Integer cappedSessionExpiry;

	/** Client id for the CONNACK, {@code null} if the client has one. */
	private @Nullable String assignedClientId;

	ConnectExchange(ChannelHandlerContext context, ConnectRules rules, ClientSession session) {
		this.rules = rules;
		this.session = session;
		this.timeout = context.executor().schedule(() -> context.close(), TIMEOUT_SECONDS, TimeUnit.SECONDS);
	}

	/**
	 * Handles the CONNECT: refuses the client, or passes the packet to Artemis.
	 * @param context the context of the handler
	 * @param received the CONNECT, whose reference is taken over
	 */
	void read(ChannelHandlerContext context, MqttConnectMessage received) {
		MqttConnectMessage connect = ClientIds.assigned(received);
		MqttMessage refusal = this.rules.refusal(connect);
		if (refusal == null
				&& (!this.session.tryReserve(connect) || !this.session.tryAdmit(connect, this.rules.principal()))) {
			refusal = Packets.refusalForMemory(connect.variableHeader().version());
		}
		if (refusal == null && !this.session.connecting(connect)) {
			refusal = ConnectRules.notAuthorized(connect.variableHeader().version());
		}
		if (refusal != null) {
			ReferenceCountUtil.release(connect);
			this.session.end();
			context.writeAndFlush(refusal).addListener(ChannelFutureListener.CLOSE);
			return;
		}
		this.keepAliveSeconds = connect.variableHeader().keepAliveTimeSeconds();
		if (ClientIds.isMissing(received) && connect.variableHeader().version() == Packets.MQTT_5) {
			this.assignedClientId = connect.payload().clientIdentifier();
		}
		this.cappedSessionExpiry = Intervals.adjust(connect);
		context.fireChannelRead(connect);
	}

	/**
	 * Handles the CONNACK of Artemis. If it accepts the client, completes its properties.
	 * @param context the context of the handler
	 * @param connack the CONNACK, which is about to be sent
	 */
	void write(ChannelHandlerContext context, MqttConnAckMessage connack) {
		if (connack.variableHeader().connectReturnCode() != MqttConnectReturnCode.CONNECTION_ACCEPTED) {
			return;
		}
		this.timeout.cancel(false);
		this.session.connected(connack);
		MqttProperties properties = connack.variableHeader().properties();
		if (this.assignedClientId != null) {
			properties
				.add(new StringProperty(MqttPropertyType.ASSIGNED_CLIENT_IDENTIFIER.value(), this.assignedClientId));
		}
		KeepAlive.start(context.pipeline(), this.keepAliveSeconds, connack, this.session::keepAliveExpired);
		if (this.cappedSessionExpiry != null) {
			properties
				.add(new IntegerProperty(MqttPropertyType.SESSION_EXPIRY_INTERVAL.value(), this.cappedSessionExpiry));
		}
	}

	/** Cancels the timeout after the end of the connection. */
	void cancel() {
		this.timeout.cancel(false);
	}

}
