package io.statestore.client.mqtt.internal;

import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.BinaryProperty;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttProperty;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.statestore.client.mqtt.ConnectionOptions;
import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/**
 * An MQTT 5 broker whose behavior a test controls. By default it accepts every packet and
 * answers every request with {@code +OK}.
 */
public final class FakeBroker implements AutoCloseable {

	public static final int MAX_PACKET = 300 * 1024 * 1024;

	public final Queue<MqttConnectMessage> connects = new ConcurrentLinkedQueue<>();

	/** Topic filters in the order of their SUBSCRIBE. */
	public final Queue<String> subscriptions = new ConcurrentLinkedQueue<>();

	public final Queue<String> unsubscriptions = new ConcurrentLinkedQueue<>();

	public final Queue<Request> requests = new ConcurrentLinkedQueue<>();

	/** Packet ids of PUBREL, in order. */
	public final Queue<Integer> releases = new ConcurrentLinkedQueue<>();

	final Queue<Runnable> withheldSubAcks = new ConcurrentLinkedQueue<>();

	public final AtomicInteger disconnects = new AtomicInteger();

	/** Number of times that bytes were read from a socket. */
	public final AtomicInteger reads = new AtomicInteger();

	/** Number of bytes that are still read. */
	public final AtomicLong bytesToRead = new AtomicLong(Long.MAX_VALUE);

	/** Size of the largest PUBLISH, header included. */
	public final AtomicInteger largestPacket = new AtomicInteger();

	public final MqttProperties connAckProperties = new MqttProperties();

	public volatile MqttConnectReturnCode connectReturnCode = MqttConnectReturnCode.CONNECTION_ACCEPTED;

	/** Reason code of every SUBACK. */
	public volatile int subAckCode = 1;

	/** Reason code for a topic filter, negative to withhold the SUBACK. */
	public volatile ToIntFunction<String> onSubscribe = (filter) -> this.subAckCode;

	/** Whether CONNACK continues an earlier session. */
	public volatile boolean sessionPresent;

	public volatile boolean acceptConnections = true;

	public volatile boolean answerPings = true;

	/** Data of each AUTH packet. */
	public final Queue<String> authentications = new ConcurrentLinkedQueue<>();

	/**
	 * Reason code of the answer to each AUTH packet: of DISCONNECT if it is a failure,
	 * negative for no answer.
	 */
	public volatile int authCode;

	/** Handles each request. */
	public volatile BiConsumer<FakeBroker, Request> onRequest = (broker, request) -> {
		request.ack(0);
		request.reply("+OK\r\n");
	};

	private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

	final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

	private final AtomicInteger messageIds = new AtomicInteger();

	private final @Nullable SSLContext sslContext;

	private final int port;

	private Channel server;

	public FakeBroker() {
		this(null);
	}

	public FakeBroker(@Nullable SSLContext sslContext) {
		this.sslContext = sslContext;
		this.server = bind(0);
		this.port = ((InetSocketAddress) this.server.localAddress()).getPort();
	}

	public int port() {
		return this.port;
	}

	public ConnectionOptions.Builder options() {
		return ConnectionOptions.builder()
			.host("127.0.0.1")
			.port(this.port)
			.clientId("test")
			.reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(100));
	}

	/** Sends all withheld SUBACK packets, which grant the subscriptions. */
	public void releaseSubAcks() {
		for (Runnable subAck = this.withheldSubAcks.poll(); subAck != null; subAck = this.withheldSubAcks.poll()) {
			subAck.run();
		}
	}

	/** Closes all connections. New ones are accepted. */
	public void drop() {
		this.clients.close().syncUninterruptibly();
	}

	/** Closes all connections, and accepts no new ones. */
	public void stop() {
		this.server.close().syncUninterruptibly();
		drop();
	}

	/**
	 * Accepts connections again, on the same port. An outgoing connection may have that
	 * port for a moment, even that of a client to itself.
	 */
	public void restart() {
		await("port " + this.port).atMost(Duration.ofSeconds(20))
			.ignoreExceptionsInstanceOf(BindException.class)
			.until(() -> {
				this.server = bind(this.port);
				return true;
			});
	}

	/** Continues to read, up to a number of bytes. */
	public void read(long bytes) {
		this.bytesToRead.set(bytes);
		this.clients.forEach((client) -> client.config().setAutoRead(true));
	}

	public int connectionCount() {
		return this.clients.size();
	}

	/** Sends a packet to all clients. */
	public void send(Object message) {
		this.clients.writeAndFlush(message).syncUninterruptibly();
	}

	/** Publishes to all clients, whatever their subscriptions. */
	public void publish(String topic, String payload, MqttProperties properties) {
		send(message(topic, payload.getBytes(StandardCharsets.UTF_8), properties));
	}

	public MqttPublishMessage message(String topic, byte[] payload, MqttProperties properties) {
		return MqttMessageBuilders.publish()
			.topicName(topic)
			.qos(MqttQoS.AT_LEAST_ONCE)
			.messageId(this.messageIds.incrementAndGet() % 60_000 + 1)
			.payload(Unpooled.wrappedBuffer(payload))
			.properties(properties)
			.build();
	}

	/** Returns the bytes of a PUBLISH, to send them in parts. */
	public ByteBuf encoded(String topic, byte[] payload) {
		EmbeddedChannel channel = new EmbeddedChannel(MqttEncoder.INSTANCE);
		channel.writeOutbound(message(topic, payload, new MqttProperties()));
		CompositeByteBuf result = Unpooled.compositeBuffer();
		for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
			result.addComponent(true, part);
		}
		return result;
	}

	/** Runs a task on the network thread a millisecond later. */
	public void later(Runnable task) {
		this.group.schedule(task, 1, TimeUnit.MILLISECONDS);
	}

	public static MqttProperties correlation(byte[] correlationData) {
		MqttProperties properties = new MqttProperties();
		properties.add(new BinaryProperty(MqttProperties.CORRELATION_DATA, correlationData));
		return properties;
	}

	public void connAck(int property, int value) {
		this.connAckProperties.add(new IntegerProperty(property, value));
	}

	@Override
	public void close() {
		stop();
		this.group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
	}

	private Channel bind(int port) {
		return new ServerBootstrap().group(this.group)
			.channel(NioServerSocketChannel.class)
			.option(ChannelOption.SO_REUSEADDR, true)
			.childOption(ChannelOption.TCP_NODELAY, true)
			.childOption(ChannelOption.SO_RCVBUF, 256 * 1024)
			.childHandler(new ChannelInitializer<Channel>() {
				@Override
				protected void initChannel(Channel channel) {
					SSLContext sslContext = FakeBroker.this.sslContext;
					if (sslContext != null) {
						SSLEngine engine = sslContext.createSSLEngine();
						engine.setUseClientMode(false);
						channel.pipeline().addLast(new SslHandler(engine));
					}
					channel.pipeline()
						.addLast(new ReadCounter(), new MqttDecoder(MAX_PACKET), MqttEncoder.INSTANCE,
								new FakeBrokerHandler(FakeBroker.this));
				}
			})
			.bind("127.0.0.1", port)
			.syncUninterruptibly()
			.channel();
	}

	/** A PUBLISH from a client. */
	public final class Request {

		private final Channel channel;

		private final int packetId;

		private final boolean repeated;

		private final String topic;

		private final byte[] payload;

		private final MqttProperties properties;

		Request(Channel channel, MqttPublishMessage message) {
			this.channel = channel;
			this.packetId = message.variableHeader().packetId();
			this.repeated = message.fixedHeader().isDup();
			this.topic = message.variableHeader().topicName();
			this.properties = message.variableHeader().properties();
			this.payload = new byte[message.payload().readableBytes()];
			message.payload().readBytes(this.payload);
		}

		/** Returns the DUP flag. */
		public boolean isRepeated() {
			return this.repeated;
		}

		public String topic() {
			return this.topic;
		}

		public byte[] payload() {
			return this.payload;
		}

		public String text() {
			return new String(this.payload, StandardCharsets.UTF_8);
		}

		@SuppressWarnings("unchecked")
		public <T> @Nullable T property(int type) {
			MqttProperties.MqttProperty<T> property = this.properties.getProperty(type);
			return (property != null) ? property.value() : null;
		}

		public List<String> userProperties() {
			return this.properties.getProperties(MqttProperties.USER_PROPERTY)
				.stream()
				.map((property) -> (MqttProperties.StringPair) property.value())
				.map((pair) -> pair.key + '=' + pair.value)
				.toList();
		}

		public byte[] correlationData() {
			return Objects.requireNonNull(this.<byte[]>property(MqttProperties.CORRELATION_DATA));
		}

		/** Sends PUBREC, the first answer to QoS 2. */
		public void received() {
			this.channel.writeAndFlush(
					new MqttMessage(new MqttFixedHeader(MqttMessageType.PUBREC, false, MqttQoS.AT_MOST_ONCE, false, 0),
							MqttMessageIdVariableHeader.from(this.packetId)));
		}

		public void ack(int reasonCode) {
			this.channel.writeAndFlush(
					MqttMessageBuilders.pubAck().packetId(this.packetId).reasonCode((byte) reasonCode).build());
		}

		/** Replies with user properties, given as alternating names and values. */
		public void reply(String payload, String... userProperties) {
			reply(payload.getBytes(StandardCharsets.UTF_8), userProperties);
		}

		public void reply(byte[] payload, String... userProperties) {
			MqttProperties replyProperties = correlation(correlationData());
			for (int i = 0; i < userProperties.length; i += 2) {
				replyProperties.add(new MqttProperties.UserProperty(userProperties[i], userProperties[i + 1]));
			}
			String responseTopic = Objects.requireNonNull(this.<String>property(MqttProperties.RESPONSE_TOPIC));
			this.channel.writeAndFlush(message(responseTopic, payload, replyProperties));
		}

	}

	private final class ReadCounter extends ChannelDuplexHandler {

		@Override
		public void read(ChannelHandlerContext context) {
			// The decoder reads on by itself until it has a packet.
			if (FakeBroker.this.bytesToRead.get() > 0) {
				context.read();
			}
		}

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			if (message instanceof ByteBuf bytes) {
				FakeBroker.this.reads.incrementAndGet();
				if (FakeBroker.this.bytesToRead.addAndGet(-bytes.readableBytes()) <= 0) {
					context.channel().config().setAutoRead(false);
					if (FakeBroker.this.bytesToRead.get() > 0) {
						// The test continues meanwhile.
						context.channel().config().setAutoRead(true);
					}
				}
			}
			context.fireChannelRead(message);
		}

	}

}
