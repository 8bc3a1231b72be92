package io.statestore.dafka.node.internal;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.dafka.DafkaException;
import io.statestore.dafka.internal.WarningLimit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ZeroMQ socket with connections to and from peers, which take turns in delivering
 * messages. Used by the node's thread, except for {@link #bind}.
 */
abstract class ZmtpSocket implements Transport.Resource {

	private static final long MIN_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long MAX_RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);

	/**
	 * Pause after a handshake that failed because a peer violated the protocol or refused
	 * it.
	 */
	private static final long REFUSED_RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final int CONNECT_MILLIS = 5_000;

	/**
	 * Maximum number of concurrent lookups, equal to the number of slots for unfinished
	 * connections.
	 */
	private static final int MAX_LOOKUPS = 64;

	private static final Logger logger = LoggerFactory.getLogger(ZmtpSocket.class);

	final Transport transport;

	/** ZeroMQ socket type shown to peers. */
	final String type;

	final SocketLimits limits;

	final FrameDecoder.Memory memory;

	private final Map<String, Link> links = new HashMap<>();

	private final Set<Connection> open = new LinkedHashSet<>();

	/**
	 * Accepted connections that have not sent a message or heartbeat yet, oldest first.
	 */
	private final Set<Connection> unproven = new LinkedHashSet<>();

	/** Connections that may have unread messages, in the order of their turns. */
	private final Deque<Connection> readable = new ArrayDeque<>();

	private final HandshakeLimit handshakes = new HandshakeLimit();

	/** Looks up host names, which may take many seconds. */
	private final ExecutorService lookups = new ThreadPoolExecutor(0, MAX_LOOKUPS, 10, TimeUnit.SECONDS,
			new SynchronousQueue<>(), new DefaultThreadFactory("dafka-resolver", true));

	private final WarningLimit warnings = new WarningLimit();

	private @Nullable Connection source;

	private int accepted;

	private volatile @Nullable Channel listener;

	ZmtpSocket(Transport transport, String type, SocketLimits limits) {
		this.transport = transport;
		this.type = type;
		this.limits = limits;
		this.memory = new FrameDecoder.Memory(limits.largeBytes());
		transport.add(this);
	}

	String name() {
		return this.transport.name + ' ' + this.type;
	}

	/**
	 * Starts accepting connections. Any thread may call this method.
	 * @param hostOption option that sets the host, for the error message
	 * @param host host to bind to, {@code *} for all addresses
	 * @param portOption option that sets the port, for the error message
	 * @param port port to bind to, 0 for any free port
	 * @return the bound port
	 * @throws DafkaException if the address cannot be bound
	 */
	int bind(String hostOption, String host, String portOption, int port) {
		ChannelFuture bound = new ServerBootstrap().group(this.transport.loop)
			.channel(NioServerSocketChannel.class)
			.childHandler(initializer(""))
			.bind(host.equals("*") ? "0.0.0.0" : host, port)
			.awaitUninterruptibly();
		if (!bound.isSuccess()) {
			throw new DafkaException("Cannot listen on '" + hostOption + "' " + host + ", '" + portOption + "' " + port
					+ " (" + bound.cause().getMessage()
					+ "): choose an address of this machine and a port that is free", bound.cause());
		}
		this.listener = bound.channel();
		return ((InetSocketAddress) bound.channel().localAddress()).getPort();
	}

	private ChannelInitializer<SocketChannel> initializer(String endpoint) {
		return new ChannelInitializer<>() {

			@Override
			protected void initChannel(SocketChannel channel) {
				SocketChannelConfig config = channel.config().setTcpNoDelay(true).setAutoRead(false);
				// A batch in the process of being written must not prevent heartbeats.
				config.setWriteBufferWaterMark(new WriteBufferWaterMark(Connection.BATCH, 2 * Connection.BATCH));
				config.setRecvByteBufAllocator(
						new AdaptiveRecvByteBufAllocator(64, 1_024, ZmtpSocket.this.limits.readAhead()));
				int buffer = ZmtpSocket.this.limits.socketBuffer();
				if (buffer > 0) {
					config.setSendBufferSize(buffer).setReceiveBufferSize(buffer);
				}
				channel.pipeline().addLast(new Connection(ZmtpSocket.this, endpoint, channel));
			}

		};
	}

	/**
	 * Connects to an endpoint and reconnects whenever the connection is lost.
	 * @param endpoint TCP endpoint with a host name or IP address
	 */
	void connect(String endpoint) {
		if (!this.links.containsKey(endpoint)) {
			Link link = new Link(endpoint);
			this.links.put(endpoint, link);
			link.connect();
		}
	}

	/**
	 * Ends the connection to an endpoint. Messages that have arrived completely are still
	 * received.
	 */
	void disconnect(String endpoint) {
		Link link = this.links.remove(endpoint);
		// Without free file descriptors, the channel was not registered and is unusable.
		if (link != null && link.channel != null && link.channel.isRegistered()) {
			link.channel.close();
		}
	}

	boolean isConnected(String endpoint) {
		Link link = this.links.get(endpoint);
		return link != null && link.connected;
	}

	/**
	 * Returns the number of endpoints to which this socket is connected or connecting.
	 */
	int endpoints() {
		return this.links.size();
	}

	/** Handles a new connection. Closes it if there are too many connections. */
	void opened(Connection connection) {
		this.open.add(connection);
		if (connection.isAccepted()) {
			boolean admitted = makeRoom(connection.address());
			this.accepted++;
			this.unproven.add(connection);
			if (!admitted) {
				connection.refuse(Refusal.TOO_MANY_CONNECTIONS, "");
			}
		}
	}

	private boolean makeRoom(String address) {
		if (this.transport.security != null && !this.handshakes.admits(address, System.nanoTime())) {
			return false;
		}
		if (this.accepted < this.limits.maxConnections()) {
			return true;
		}
		Iterator<Connection> oldest = this.unproven.iterator();
		if (!oldest.hasNext()) {
			return false;
		}
		Connection replaced = oldest.next();
		oldest.remove();
		replaced.refuse(Refusal.TOO_MANY_CONNECTIONS, "");
		return true;
	}

	void ready(Connection connection) {
		Link link = this.links.get(connection.endpoint);
		if (link != null && connection.uses(link.channel)) {
			link.connected = true;
		}
	}

	/** Handles the first message or heartbeat of a connection. */
	void proven(Connection connection) {
		connection.proven = true;
		this.unproven.remove(connection);
	}

	void closed(Connection connection) {
		if (!this.open.remove(connection)) {
			return;
		}
		this.unproven.remove(connection);
		this.accepted -= connection.isAccepted() ? 1 : 0;
		Link link = this.links.get(connection.endpoint);
		if (link != null && connection.uses(link.channel)) {
			link.lost(connection);
		}
	}

	/** Called after a write has finished, when there may be room for messages again. */
	void written() {
	}

	/** Called when data has arrived that may contain messages. */
	void readable(Connection connection) {
		if (!connection.queued) {
			connection.queued = true;
			this.readable.add(connection);
			this.transport.wake();
		}
	}

	/**
	 * Receives a message if one has arrived. Connections take turns.
	 * @return the frames, or {@code null} if there is no message
	 */
	byte @Nullable [][] receive() {
		for (Connection next = this.readable.poll(); next != null; next = this.readable.poll()) {
			byte[][] message = next(next);
			if (message != null) {
				this.readable.add(next);
				this.source = next;
				return message;
			}
			next.queued = false;
			next.readMore();
		}
		return null;
	}

	private static byte @Nullable [][] next(Connection connection) {
		try {
			return connection.next();
		}
		catch (RuntimeException ex) {
			connection.failed(ex);
			return null;
		}
	}

	/** Returns the connection of the latest message. */
	Connection source() {
		return Objects.requireNonNull(this.source);
	}

	@Override
	public void tick() {
		List.copyOf(this.open).forEach(Connection::tick);
	}

	@Override
	public void stop() {
		this.links.clear();
		this.lookups.shutdownNow();
		Channel listener = this.listener;
		if (listener != null) {
			listener.close();
		}
	}

	@Override
	public boolean isFlushed() {
		return this.open.stream().allMatch(Connection::isFlushed);
	}

	@Override
	public void close() {
		stop();
		List.copyOf(this.open).forEach(Connection::close);
		this.readable.forEach(Connection::close);
	}

	/** Endpoint to which this socket stays connected. */
	private final class Link {

		private final String endpoint;

		private final String host;

		private final int port;

		private long retryNanos = MIN_RETRY_NANOS;

		private @Nullable Channel channel;

		private boolean connected;

		Link(String endpoint) {
			this.endpoint = endpoint;
			int colon = endpoint.lastIndexOf(':');
			this.host = endpoint.substring("tcp://".length(), colon);
			this.port = Integer.parseInt(endpoint.substring(colon + 1));
		}

		/** Connects. If the host is a name, it is first resolved on another thread. */
		void connect() {
			if (ZmtpSocket.this.links.get(this.endpoint) != this) {
				return;
			}
			if (NetUtil.isValidIpV4Address(this.host)) {
				connectTo(this.host);
				return;
			}
			CompletableFuture.completedFuture(this.host)
				.thenApplyAsync(ZmtpSocket.this.transport.resolver::resolve, ZmtpSocket.this.lookups)
				.exceptionally((failure) -> null)
				.thenAcceptAsync((address) -> ZmtpSocket.this.transport.guard(() -> lookedUp(address)),
						ZmtpSocket.this.transport.loop);
		}

		private void lookedUp(@Nullable String address) {
			if (ZmtpSocket.this.links.get(this.endpoint) != this) {
				return;
			}
			if (address != null) {
				connectTo(address);
				return;
			}
			ZmtpSocket.this.warnings.warn(logger, System.nanoTime(),
					"Cannot look up the host of {}. Trying again. Check 'towers', 'advertisedHost' of the other node,"
							+ " and the name service",
					this.endpoint);
			retry(this.retryNanos);
		}

		private void connectTo(String address) {
			ChannelFuture connecting = new Bootstrap().group(ZmtpSocket.this.transport.loop)
				.channel(NioSocketChannel.class)
				.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
				.handler(initializer(this.endpoint))
				.connect(new InetSocketAddress(address, this.port));
			this.channel = connecting.channel();
			connecting.addListener((done) -> {
				if (!done.isSuccess()) {
					retry(this.retryNanos);
				}
			});
		}

		/**
		 * Reconnects after a pause. The pause grows with each connection that delivered
		 * nothing, so that a peer that closes every connection does not cause much work.
		 */
		void lost(Connection connection) {
			this.connected = false;
			this.retryNanos = connection.proven ? MIN_RETRY_NANOS : this.retryNanos;
			retry(connection.isRefused() && !connection.isReady() ? REFUSED_RETRY_NANOS : this.retryNanos);
		}

		private void retry(long nanos) {
			this.retryNanos = Math.min(2 * this.retryNanos, MAX_RETRY_NANOS);
			ZmtpSocket.this.transport.loop.schedule(this::connect, nanos, TimeUnit.NANOSECONDS);
		}

	}

}
