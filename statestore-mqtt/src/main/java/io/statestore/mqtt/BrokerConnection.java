package io.statestore.mqtt;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.PreferHeapByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import io.statestore.mqtt.ConnectionFailure.Kind;
import org.jspecify.annotations.Nullable;

/**
 * A connection to an MQTT 5 broker. It connects once. All methods must be called on its
 * event loop, except those marked as thread-safe, and all events are called there.
 * Packets are written together by {@link #flush()}, at the latest after a burst of
 * received packets has been handled.
 */
public final class BrokerConnection implements Wire {

	/** Number of bytes after which progress in sending a large packet becomes visible. */
	private static final int CHUNK_SIZE = 64 * 1024;

	/** Lowest reason code of a failure (MQTT 5 section 2.4). */
	private static final int FIRST_FAILURE = 0x80;

	private static final long CLOSE_MILLIS = 1_000;

	/**
	 * Number of bytes waiting for the network at which the connection is no longer
	 * writable.
	 */
	private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(128 * 1024, 256 * 1024);

	private final EventLoop loop;

	private final ConnectionSettings settings;

	private final MqttConnectMessage connect;

	private final Events events;

	private final CompletableFuture<Void> closed = new CompletableFuture<>();

	private volatile @Nullable Established established;

	private @Nullable ScheduledFuture<?> connectTimer;

	private boolean accepted;

	/**
	 * Whether a burst of packets is being read. Writes are flushed when the burst ends.
	 */
	private boolean reading;

	private boolean ended;

	private BrokerConnection(EventLoop loop, ConnectionSettings settings, MqttConnectMessage connect, Events events) {
		this.loop = loop;
		this.settings = settings;
		this.connect = connect;
		this.events = events;
	}

	/**
	 * Starts connecting. Thread-safe.
	 * @param loop the connection's event loop
	 * @param settings the broker's address and the limits
	 * @param connect the CONNECT packet
	 * @param events receives events, {@link Events#ended} at most once
	 * @return the connection, which the caller must close
	 */
	public static BrokerConnection open(EventLoop loop, ConnectionSettings settings, MqttConnectMessage connect,
			Events events) {
		BrokerConnection connection = new BrokerConnection(loop, settings, connect, events);
		loop.execute(connection::connect);
		return connection;
	}

	private void connect() {
		if (this.loop.isShuttingDown()) {
			// Without a thread, the loop runs only to end.
			return;
		}
		try {
			connect(InetAddress.getAllByName(this.settings.host()), 0, null);
		}
		catch (UnknownHostException ex) {
			end(ex);
		}
	}

	/** Tries the addresses one by one. If all fail, reports the first failure. */
	private void connect(InetAddress[] addresses, int index, @Nullable Throwable failure) {
		if (this.ended || index == addresses.length) {
			end((failure != null) ? failure : new UnknownHostException(this.settings.host()));
			return;
		}
		new Bootstrap().group(this.loop)
			.channel(NioSocketChannel.class)
			// Otherwise, shutting down the event loop would start a thread to close the
			// resolver.
			.disableResolver()
			.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) this.settings.connectTimeout().toMillis())
			.option(ChannelOption.TCP_NODELAY, true)
			.option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
			.handler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel channel) {
					prepare(channel);
				}
			})
			.connect(new InetSocketAddress(addresses[index], this.settings.port()))
			.addListener((connected) -> {
				Throwable cause = connected.cause();
				if (cause != null) {
					Throwable first = (failure != null) ? failure : cause;
					connect(addresses, index + 1, (first instanceof ConnectTimeoutException)
							? new SocketTimeoutException(first.getMessage()) : first);
				}
			});
	}

	private void prepare(Channel channel) {
		Tls tls = this.settings.tls();
		if (tls != null) {
			// The JDK decrypts direct buffers without using the processor's special
			// instructions.
			channel.config().setAllocator(new PreferHeapByteBufAllocator(channel.alloc()));
		}
		Handler handler = new Handler();
		PacketReader reader = new PacketReader(this.settings, handler);
		Output output = new Output(channel, CHUNK_SIZE);
		KeepAlive keepAlive = new KeepAlive(output, (millis) -> end(
				ConnectionFailure.of(Kind.SILENT, "nothing heard from the broker for " + millis + " ms")));
		handler.connection = new Established(channel, reader, output, keepAlive);
		if (tls != null) {
			channel.pipeline()
				.addLast(tls.handler(this.settings.host(), this.settings.port(), this.settings.connectTimeout()));
		}
		channel.pipeline()
			.addLast(reader, new MqttDecoder(this.settings.maxPacketSize()), MqttEncoder.INSTANCE, handler);
	}

	/**
	 * Writes a packet, or drops it if the connection has ended.
	 * @param packet the packet, which this method releases
	 */
	public void write(MqttMessage packet) {
		Established current = usable();
		if (current != null) {
			current.output.write(packet);
		}
		else {
			ReferenceCountUtil.release(packet);
		}
	}

	/**
	 * Returns the established connection, {@code null} if it is not established yet or
	 * has ended.
	 */
	private @Nullable Established usable() {
		return this.ended ? null : this.established;
	}

	@Override
	public void publish(OutgoingPublish message, int packetId, boolean repeated) {
		Established current = usable();
		if (current != null) {
			try {
				current.output.publish(message, packetId, repeated);
			}
			catch (RuntimeException | Error ex) {
				// This happens if memory is exhausted, for example. Anything after a
				// partial packet would be malformed.
				end(ex);
			}
		}
	}

	@Override
	public void acknowledge(int packetId) {
		Established current = usable();
		if (current != null) {
			current.output.acknowledge(packetId);
			if (current.output.isOverfull()) {
				end(ConnectionFailure.malformed(new DecoderException("The broker exceeds the Receive Maximum")));
			}
		}
	}

	/**
	 * Sends the written packets. During a burst of received packets, they are sent when
	 * the burst ends.
	 */
	public void flush() {
		Established current = usable();
		if (current != null && !this.reading) {
			current.output.flush();
		}
	}

	@Override
	public boolean isWritable() {
		Established current = usable();
		return current != null && current.channel.isWritable();
	}

	/**
	 * Returns the progress of reading. Thread-safe.
	 * @return the number of packets and bytes that have arrived
	 */
	public Progress received() {
		Established current = this.established;
		return (current != null) ? current.reader.progress() : Progress.NONE;
	}

	/**
	 * Returns the progress of writing. Thread-safe.
	 * @return the number of packets and bytes that the network has accepted
	 */
	public Progress sent() {
		Established current = this.established;
		return (current != null) ? current.output.progress() : Progress.NONE;
	}

	/**
	 * Sends a DISCONNECT, then closes the connection within a second. No events follow.
	 * @param disconnect the packet to send
	 * @return a future that completes when the connection is closed
	 */
	public CompletableFuture<Void> close(MqttMessage disconnect) {
		Established current = usable();
		if (current != null) {
			this.ended = true;
			release(current);
			current.output.write(disconnect).addListener((written) -> current.channel.close());
			current.output.flush();
			this.loop.schedule(() -> current.channel.close(), CLOSE_MILLIS, TimeUnit.MILLISECONDS);
		}
		else if (this.established == null) {
			this.ended = true;
			this.closed.complete(null);
		}
		return this.closed;
	}

	private void end(Throwable cause) {
		if (this.ended) {
			return;
		}
		this.ended = true;
		Established current = this.established;
		if (current != null) {
			release(current);
			current.output.discard();
			current.channel.close();
		}
		else {
			this.closed.complete(null);
		}
		this.events.ended(cause, this.accepted);
	}

	private void release(Established current) {
		current.keepAlive.stop();
		cancelConnectTimer();
		this.settings.buffered().accept(0);
	}

	private void cancelConnectTimer() {
		if (this.connectTimer != null) {
			this.connectTimer.cancel(false);
		}
	}

	private void active(Established current) {
		if (this.ended) {
			current.channel.close();
			return;
		}
		this.established = current;
		this.connectTimer = this.loop.schedule(
				() -> end(ConnectionFailure.of(Kind.NO_ANSWER,
						"the broker does not answer CONNECT; is it an MQTT broker?")),
				this.settings.connectTimeout().toMillis(), TimeUnit.MILLISECONDS);
		current.output.write(this.connect);
		current.output.flush();
	}

	private void read(Established current, MqttMessage packet) {
		if (packet.decoderResult().isFailure()) {
			end(ConnectionFailure.malformed(packet.decoderResult().cause()));
		}
		else if (packet instanceof MqttConnAckMessage connAck && !this.accepted) {
			connected(current, connAck);
		}
		else if (packet instanceof MqttSubAckMessage subAck) {
			this.events.subscribed(subAck.variableHeader().messageId(), subAck.payload().reasonCodes());
		}
		else if (packet instanceof MqttUnsubAckMessage unsubAck) {
			this.events.subscribed(unsubAck.variableHeader().messageId(),
					unsubAck.payload().unsubscribeReasonCodes().stream().map(Short::intValue).toList());
		}
		else if (packet.variableHeader() instanceof MqttPubReplyMessageVariableHeader header) {
			int reasonCode = header.reasonCode() & 0xFF;
			MqttMessageType type = packet.fixedHeader().messageType();
			if (type == MqttMessageType.PUBREC && reasonCode < FIRST_FAILURE) {
				this.events.received(header.messageId());
			}
			else if (type != MqttMessageType.PUBREL) {
				this.events.acknowledged(header.messageId(), reasonCode);
			}
		}
		else if (packet.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header) {
			int reasonCode = header.reasonCode() & 0xFF;
			switch (packet.fixedHeader().messageType()) {
				case AUTH -> this.events.authenticated(reasonCode);
				case DISCONNECT -> end(ConnectionFailure.byBroker(this.accepted ? Kind.DISCONNECTED : Kind.REFUSED,
						reasonCode, header.properties()));
				default -> {
				}
			}
		}
	}

	private void connected(Established current, MqttConnAckMessage connAck) {
		MqttProperties properties = connAck.variableHeader().properties();
		int reasonCode = connAck.variableHeader().connectReturnCode().byteValue() & 0xFF;
		if (reasonCode >= FIRST_FAILURE) {
			end(ConnectionFailure.byBroker(Kind.REFUSED, reasonCode, properties));
			return;
		}
		Accepted accepted = Accepted.of(connAck);
		if (accepted.receiveMaximum() == 0) {
			end(ConnectionFailure.malformed(new DecoderException("The Receive Maximum is 0")));
			return;
		}
		cancelConnectTimer();
		this.accepted = true;
		current.keepAlive.start(this.loop, Properties.number(properties, MqttProperties.SERVER_KEEP_ALIVE,
				this.connect.variableHeader().keepAliveTimeSeconds()));
		this.events.accepted(accepted);
	}

	/** The parts of an established connection. */
	private record Established(Channel channel, PacketReader reader, Output output, KeepAlive keepAlive) {
	}

	/** Listener for events of a connection. */
	public interface Events {

		/**
		 * Handles a CONNACK that accepts the connection.
		 * @param accepted the CONNACK's content
		 */
		void accepted(Accepted accepted);

		/**
		 * Handles a SUBACK or an UNSUBACK.
		 * @param packetId packet identifier of the request
		 * @param reasonCodes one reason code for each filter, in order
		 */
		void subscribed(int packetId, List<Integer> reasonCodes);

		/**
		 * Handles a message, even if it was {@linkplain Publish#isSkipped() skipped}.
		 * @param publish the message, which the receiver must {@linkplain #acknowledge
		 * acknowledge}
		 */
		void published(Publish publish);

		/**
		 * Handles a PUBACK, a PUBCOMP, or a PUBREC that refuses a message.
		 * @param packetId packet identifier of the message
		 * @param reasonCode an MQTT 5 reason code
		 */
		void acknowledged(int packetId, int reasonCode);

		/**
		 * Handles a PUBREC for a message with QoS 2, to be answered with
		 * {@linkplain ClientPackets#release PUBREL}.
		 * @param packetId packet identifier of the message
		 */
		default void received(int packetId) {
		}

		/**
		 * Handles an AUTH.
		 * @param reasonCode an MQTT 5 reason code
		 */
		default void authenticated(int reasonCode) {
		}

		/** Handles the end of a burst of received packets, before it is flushed. */
		default void readCompleted() {
		}

		/** Handles a change in whether the network accepts data. */
		default void writabilityChanged() {
		}

		/**
		 * Handles the end of the connection.
		 * @param cause a {@link ConnectionFailure}, a network or TLS exception, or a
		 * failure to write a message
		 * @param accepted whether the broker had accepted the connection
		 */
		void ended(Throwable cause, boolean accepted);

	}

	private final class Handler extends ChannelInboundHandlerAdapter implements PacketReader.Receiver {

		private @Nullable Established connection;

		private Established connection() {
			if (this.connection == null) {
				throw new IllegalStateException();
			}
			return this.connection;
		}

		@Override
		public void channelActive(ChannelHandlerContext context) {
			active(connection());
		}

		@Override
		public void received() {
			BrokerConnection.this.reading = true;
			connection().keepAlive.received();
		}

		@Override
		public void published(Publish publish) {
			BrokerConnection.this.events.published(publish);
		}

		@Override
		public void acknowledged(int packetId, int reasonCode) {
			BrokerConnection.this.events.acknowledged(packetId, reasonCode);
		}

		@Override
		public void failed(ConnectionFailure failure) {
			end(failure);
		}

		@Override
		public boolean isEnded() {
			return BrokerConnection.this.ended;
		}

		@Override
		public void channelRead(ChannelHandlerContext context, Object packet) {
			try {
				if (!isEnded()) {
					read(connection(), (MqttMessage) packet);
				}
			}
			finally {
				ReferenceCountUtil.release(packet);
			}
		}

		@Override
		public void channelReadComplete(ChannelHandlerContext context) {
			BrokerConnection.this.events.readCompleted();
			BrokerConnection.this.reading = false;
			flush();
		}

		@Override
		public void channelWritabilityChanged(ChannelHandlerContext context) {
			if (!isEnded()) {
				BrokerConnection.this.events.writabilityChanged();
				flush();
			}
		}

		@Override
		public void channelInactive(ChannelHandlerContext context) {
			BrokerConnection.this.closed.complete(null);
			end(ConnectionFailure.of(Kind.CLOSED, "the broker closed the connection"));
		}

		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			end(cause);
		}

	}

}
