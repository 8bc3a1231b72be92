package io.statestore.broker.artemis;

import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.packet.Packets;
import org.jspecify.annotations.Nullable;

/**
 * Channel handler that passes no packets to a connection that Artemis is ending, for
 * instance because the client has connected again. Another thread then holds a lock until
 * all subscriptions are closed. Artemis would make the event loop wait for that lock, and
 * would not release the packet. For each such packet it also sends a DISCONNECT with code
 * 0x83, which would precede the one with the actual reason.
 * <p>
 * Directly precedes Artemis in the pipeline.
 */
final class TakeoverGuard extends ChannelDuplexHandler {

	/** Time after which a connection that another one has taken over is closed. */
	private static final long END_TIMEOUT_SECONDS = 10;

	private static final byte IMPLEMENTATION_SPECIFIC_ERROR = (byte) 0x83;

	/** Guards of all connections, by client id in Artemis. */
	private final ConcurrentMap<String, TakeoverGuard> connections;

	private @Nullable ChannelHandlerContext context;

	/** Client id in Artemis, {@code null} before the CONNECT. */
	private @Nullable String clientId;

	private boolean mqtt5;

	/** The packet for which Artemis is being called on the event loop. */
	private @Nullable Object passing;

	/** Whether Artemis is ending the connection, or is about to. */
	private volatile boolean ending;

	/**
	 * Creates a guard for one connection.
	 * @param connections guards of all connections, by client id in Artemis
	 */
	TakeoverGuard(ConcurrentMap<String, TakeoverGuard> connections) {
		this.connections = connections;
	}

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		this.context = context;
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (this.ending) {
			ReferenceCountUtil.release(message);
			return;
		}
		if (message instanceof MqttConnectMessage connect && this.clientId == null) {
			this.mqtt5 = connect.variableHeader().version() == Packets.MQTT_5;
			takeOver(connect.payload().clientIdentifier());
		}
		Object packet = (!this.mqtt5 && message instanceof MqttPublishMessage publish) ? onHeap(publish) : message;
		this.passing = packet;
		try {
			context.fireChannelRead(packet);
		}
		finally {
			this.passing = null;
		}
	}

	/**
	 * Takes over the session of a client. Artemis ends an earlier connection of the
	 * client when it executes the CONNECT.
	 */
	private void takeOver(String clientId) {
		this.clientId = clientId;
		TakeoverGuard earlier = this.connections.put(clientId, this);
		if (earlier != null) {
			earlier.end();
		}
	}

	/** Drops further packets. May be called by any thread. */
	private void end() {
		this.ending = true;
		ChannelHandlerContext context = this.context;
		if (context != null) {
			try {
				// Needed if Artemis never executes the CONNECT.
				context.executor().schedule(() -> context.close(), END_TIMEOUT_SECONDS, TimeUnit.SECONDS);
			}
			catch (RejectedExecutionException ex) {
				// The broker has stopped, which ended the connection.
			}
		}
	}

	/**
	 * Moves the payload of a message to the heap. Before MQTT 5, Artemis drops packets of
	 * a connection that it is ending without releasing them, and without a DISCONNECT
	 * that would show it.
	 */
	private static MqttPublishMessage onHeap(MqttPublishMessage publish) {
		try {
			return publish.replace(Unpooled.wrappedBuffer(ByteBufUtil.getBytes(publish.payload())));
		}
		finally {
			publish.release();
		}
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		if (this.passing != null && isUnspecificDisconnect(message)) {
			this.ending = true;
			ReferenceCountUtil.release(this.passing);
			// The DISCONNECT with the reason is already in the queue of the event loop.
			context.executor().execute(() -> context.writeAndFlush(message, promise));
		}
		else {
			context.write(message, promise);
		}
	}

	private static boolean isUnspecificDisconnect(Object message) {
		return message instanceof MqttMessage packet && packet.fixedHeader().messageType() == MqttMessageType.DISCONNECT
				&& packet.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header
				&& header.reasonCode() == IMPLEMENTATION_SPECIFIC_ERROR;
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		if (this.clientId != null) {
			this.connections.remove(this.clientId, this);
		}
		context.fireChannelInactive();
	}

}
