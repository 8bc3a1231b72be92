package io.statestore.broker.gateway;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.packet.FrameGuard;
import io.statestore.broker.packet.FrameGuard.SkippedPublish;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.ReasonCodes;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** An MQTT 5 connection to the broker. Used on its event loop only. */
final class BrokerConnection extends ChannelInboundHandlerAdapter implements Outbox.Wire {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(BrokerConnection.class));

	private static final int CONNECT_TIMEOUT_MILLIS = 10_000;

	private static final int MAX_RECEIVE_MAXIMUM = 65_535;

	private final GatewaySettings settings;

	private final MqttMessage connect;

	private final Events events;

	private @Nullable Channel channel;

	private @Nullable ScheduledFuture<?> timer;

	private boolean accepted;

	/** Whether anything has arrived since the last PINGREQ. */
	private boolean receivedSincePing;

	/** Whether a burst of packets is being read. Its end flushes. */
	private boolean reading;

	private boolean ended;

	private BrokerConnection(GatewaySettings settings, MqttMessage connect, Events events) {
		this.settings = settings;
		this.connect = connect;
		this.events = events;
	}

	/**
	 * Starts to connect.
	 * @param connect the CONNECT packet
	 * @param events receives events on the event loop, {@link Events#ended} exactly once
	 */
	static BrokerConnection open(EventLoop loop, GatewaySettings settings, MqttMessage connect, Events events) {
		BrokerConnection connection = new BrokerConnection(settings, connect, events);
		new Bootstrap().group(loop)
			.channel(NioSocketChannel.class)
			.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
			.handler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel channel) {
					if (settings.tls() != null) {
						channel.pipeline().addLast(Tls.handler(settings.tls().get(), settings.host(), settings.port()));
					}
					ClientShare memory = settings.budget().open();
					channel.closeFuture().addListener((closed) -> memory.close());
					channel.pipeline()
						.addLast(
								FrameGuard.ofBroker(settings.maxPacketSize(), GatewaySettings.MAX_PROPERTIES_SIZE,
										memory),
								new MqttDecoder(settings.maxPacketSize()), MqttEncoder.INSTANCE, connection);
				}
			})
			.connect(settings.host(), settings.port())
			.addListener((future) -> {
				Throwable cause = future.cause();
				if (cause != null) {
					connection.end(new BrokerException("cannot connect: " + BrokerException.reason(cause), cause));
				}
			});
		return connection;
	}

	/** Writes a packet, unless the connection has ended. {@link #flush()} sends it. */
	@Override
	public void write(MqttMessage packet) {
		if (this.channel != null && !this.ended) {
			this.channel.write(packet);
		}
		else {
			ReferenceCountUtil.release(packet);
		}
	}

	@Override
	public void publish(OwnPublish message, int packetId, boolean repeated) {
		if (this.channel != null && !this.ended) {
			this.channel.write(message.encode(this.channel.alloc(), packetId, repeated));
		}
	}

	void flush() {
		if (this.channel != null && !this.reading) {
			this.channel.flush();
		}
	}

	@Override
	public boolean isWritable() {
		return this.channel != null && !this.ended && this.channel.isWritable();
	}

	/** Sends DISCONNECT. No event follows. */
	void close() {
		if (!this.ended) {
			write(Packets.disconnect(0, "the gateway stops"));
			end(null);
		}
	}

	@Override
	public void channelActive(ChannelHandlerContext context) {
		this.channel = context.channel();
		this.timer = context.executor()
			.schedule(() -> end(new BrokerException("the broker does not answer CONNECT; is it an MQTT broker?")),
					CONNECT_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
		context.writeAndFlush(this.connect);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object packet) {
		this.receivedSincePing = true;
		this.reading = true;
		try {
			if (this.ended) {
				return;
			}
			if (packet instanceof SkippedPublish skipped) {
				clientLog.warn(
						"Skipped a message with {} bytes of MQTT properties; the maximum is {}. If it was a "
								+ "request, its client gets no reply",
						skipped.propertiesSize(), GatewaySettings.MAX_PROPERTIES_SIZE);
				this.events.skipped(skipped.packetId());
			}
			else {
				read((MqttMessage) packet);
			}
		}
		finally {
			ReferenceCountUtil.release(packet);
		}
	}

	private void read(MqttMessage packet) {
		if (packet.decoderResult().isFailure()) {
			end(new BrokerException.Malformed(packet.decoderResult().cause()));
		}
		else if (packet instanceof MqttConnAckMessage connack) {
			connected(connack);
		}
		else if (packet instanceof MqttPublishMessage publish) {
			this.events.published(publish);
		}
		else if (packet instanceof MqttSubAckMessage suback) {
			this.events.subscribed(suback.payload().reasonCodes());
		}
		else {
			switch (packet.fixedHeader().messageType()) {
				case PUBACK -> this.events.acknowledged(Packets.packetId(packet), reasonCode(packet));
				case DISCONNECT -> end(new BrokerException("the broker disconnected with reason 0x"
						+ Integer.toHexString(reasonCode(packet)) + reasonString(packet)));
				default -> {
				}
			}
		}
	}

	private void connected(MqttConnAckMessage connack) {
		int reason = connack.variableHeader().connectReturnCode().byteValue() & 0xFF;
		if (ReasonCodes.isFailure(reason)) {
			end(Diagnosis.refused(reason));
			return;
		}
		MqttProperties properties = connack.variableHeader().properties();
		Integer receiveMaximum = Packets.property(properties, MqttProperties.RECEIVE_MAXIMUM, Integer.class);
		Integer maxPacketSize = Packets.property(properties, MqttProperties.MAXIMUM_PACKET_SIZE, Integer.class);
		Integer retainAvailable = Packets.property(properties, MqttProperties.RETAIN_AVAILABLE, Integer.class);
		Integer keepAlive = Packets.property(properties, MqttProperties.SERVER_KEEP_ALIVE, Integer.class);
		this.accepted = true;
		keepAlive((keepAlive != null) ? keepAlive : ClientPackets.KEEP_ALIVE_SECONDS);
		this.events.connected(new Accepted(connack.variableHeader().isSessionPresent(),
				(receiveMaximum != null) ? receiveMaximum : MAX_RECEIVE_MAXIMUM,
				(maxPacketSize != null) ? Integer.toUnsignedLong(maxPacketSize) : Long.MAX_VALUE,
				retainAvailable == null || retainAvailable != 0));
	}

	/**
	 * Sends PINGREQ in each half of the interval. Ends the connection if nothing arrived
	 * since the last one.
	 */
	private void keepAlive(int seconds) {
		cancelTimer();
		if (this.channel == null || seconds == 0) {
			return;
		}
		long halfMillis = Math.max(500, seconds * 500L);
		this.timer = this.channel.eventLoop().scheduleAtFixedRate(() -> {
			if (!this.receivedSincePing) {
				end(new BrokerException("nothing heard from the broker for " + halfMillis + " ms"));
				return;
			}
			this.receivedSincePing = false;
			write(MqttMessage.PINGREQ);
			flush();
		}, halfMillis, halfMillis, TimeUnit.MILLISECONDS);
	}

	private static int reasonCode(MqttMessage packet) {
		if (packet.variableHeader() instanceof MqttPubReplyMessageVariableHeader header) {
			return header.reasonCode() & 0xFF;
		}
		return (packet.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header)
				? header.reasonCode() & 0xFF : 0;
	}

	private static String reasonString(MqttMessage packet) {
		String reason = (packet.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header)
				? Packets.property(header.properties(), MqttProperties.REASON_STRING, String.class) : null;
		return (reason != null) ? ": " + reason : "";
	}

	@Override
	public void channelReadComplete(ChannelHandlerContext context) {
		this.reading = false;
		context.flush();
	}

	@Override
	public void channelWritabilityChanged(ChannelHandlerContext context) {
		if (!this.ended) {
			this.events.writabilityChanged();
			context.flush();
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		lost(null);
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		lost(cause);
	}

	private void lost(@Nullable Throwable cause) {
		end(Diagnosis.lost(cause, this.settings.tls() != null, this.accepted));
	}

	private void end(@Nullable BrokerException cause) {
		if (this.ended) {
			return;
		}
		this.ended = true;
		cancelTimer();
		if (this.channel != null) {
			this.channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
		}
		if (cause != null) {
			this.events.ended(cause);
		}
	}

	private void cancelTimer() {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
	}

	/**
	 * Result of a connect.
	 *
	 * @param sessionPresent whether the broker continues an earlier session
	 * @param receiveMaximum maximum number of unacknowledged messages to the broker
	 * @param maxPacketSize maximum size of a packet to the broker, in bytes
	 * @param retainAvailable whether the broker retains messages
	 */
	record Accepted(boolean sessionPresent, int receiveMaximum, long maxPacketSize, boolean retainAvailable) {

	}

	/** Listener for events from the broker. */
	interface Events {

		void connected(Accepted accepted);

		/** Handles a SUBACK, with one reason code for each filter. */
		void subscribed(List<Integer> reasonCodes);

		/** Handles a message. The connection releases the packet afterwards. */
		void published(MqttPublishMessage publish);

		/**
		 * Handles a message that was not decoded because its properties are too long.
		 * @param packetId the packet id to acknowledge, 0 for none
		 */
		void skipped(int packetId);

		void acknowledged(int packetId, int reasonCode);

		void ended(BrokerException cause);

		/** Handles a change of whether the network accepts data. */
		default void writabilityChanged() {
		}

	}

}
