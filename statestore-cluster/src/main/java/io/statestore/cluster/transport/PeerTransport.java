package io.statestore.cluster.transport;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.rpc.RpcProcessor;
import com.alipay.sofa.jraft.rpc.impl.PingRequestProcessor;
import com.alipay.sofa.jraft.rpc.impl.core.GetFileRequestProcessor;
import com.alipay.sofa.jraft.rpc.impl.core.InstallSnapshotRequestProcessor;
import com.alipay.sofa.jraft.rpc.impl.core.ReadIndexRequestProcessor;
import com.alipay.sofa.jraft.rpc.impl.core.RequestVoteRequestProcessor;
import com.alipay.sofa.jraft.rpc.impl.core.TimeoutNowRequestProcessor;
import com.alipay.sofa.jraft.util.Endpoint;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NettyRuntime;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.broker.cluster.StreamTarget;
import org.jspecify.annotations.Nullable;

/**
 * A node's transport, which listens for other nodes and connects to them. Both sides of a
 * connection present a certificate: the accepting node's must be valid for the host that
 * the other node connects to, and the connecting node's for the host it claims to be.
 * Thread-safe.
 */
public final class PeerTransport implements AutoCloseable {

	private static final int EVENT_LOOPS = 2;

	private static final int CONNECT_TIMEOUT_MILLIS = 1_000;

	/**
	 * Number of bytes queued on a connection before it counts as slow. Large, because
	 * JRaft sends many requests with entries without waiting for responses.
	 */
	private static final WriteBufferWaterMark QUEUED = new WriteBufferWaterMark(2 << 20, 8 << 20);

	/** Maximum number of threads that process peers' requests, except for log entries. */
	private static final int MAX_THREADS = 32;

	/** Maximum number of requests that wait for a thread. */
	private static final int MAX_WAITING = 10_000;

	/** Number of handshake threads. Leaves half of the processors to connected nodes. */
	private static final int HANDSHAKE_THREADS = Math.max(1, NettyRuntime.availableProcessors() / 2);

	/**
	 * Maximum number of handshake computations that wait for a thread, including
	 * computations for closed connections.
	 */
	private static final int MAX_HANDSHAKES = 4_096;

	private final TransportOptions options;

	private final Reachability reachability;

	private final EventLoopGroup eventLoops = new MultiThreadIoEventLoopGroup(EVENT_LOOPS,
			new DefaultThreadFactory("statestore-cluster-io", true), NioIoHandler.newFactory());

	/**
	 * Processes requests. Rejects them when too many wait, which closes the peer's
	 * connection.
	 */
	private final ThreadPoolExecutor executor = new ThreadPoolExecutor(MAX_THREADS, MAX_THREADS, 30, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(MAX_WAITING), new DefaultThreadFactory("statestore-cluster", true));

	/**
	 * Runs tasks that may wait for a long time, and processes log entries. Each
	 * connection has at most a few of these tasks.
	 */
	private final ExecutorService background = Executors
		.newCachedThreadPool(new DefaultThreadFactory("statestore-cluster-peers", true));

	/**
	 * Computes TLS handshakes for connections that peers open. When too many wait,
	 * additional handshakes fail.
	 */
	private final ThreadPoolExecutor handshakes = new ThreadPoolExecutor(HANDSHAKE_THREADS, HANDSHAKE_THREADS, 30,
			TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_HANDSHAKES),
			new DefaultThreadFactory("statestore-cluster-tls", true));

	private final PeerAcceptor acceptor;

	private volatile Supplier<@Nullable StreamTarget> streams = () -> null;

	private volatile Supplier<byte @Nullable []> status = () -> null;

	private volatile Predicate<Endpoint> members = (peer) -> true;

	private volatile Consumer<String> onLostDirectory = (reason) -> {
	};

	private volatile Consumer<Endpoint> onProcessEnd = (peer) -> {
	};

	/** Connections of the current JRaft node. */
	private volatile @Nullable PeerConnections connections;

	private @Nullable Channel server;

	private volatile @Nullable ReplicatorGroup replicators;

	/**
	 * Creates a transport, which does not listen yet.
	 * @param options addresses, certificates, and limits
	 * @param admission admits log entries while the disk has room
	 * @param reachability whether this node's messages reach other nodes
	 */
	public PeerTransport(TransportOptions options, DiskAdmission admission, Reachability reachability) {
		this.options = options;
		this.reachability = reachability;
		this.executor.allowCoreThreadTimeOut(true);
		this.handshakes.allowCoreThreadTimeOut(true);
		List<RpcProcessor<?>> processors = List.of(new EntriesProcessor(this.executor),
				new RequestVoteRequestProcessor(this.executor), new PingRequestProcessor(this.executor),
				new InstallSnapshotRequestProcessor(this.executor), new GetFileRequestProcessor(this.executor),
				new TimeoutNowRequestProcessor(this.executor), new ReadIndexRequestProcessor(this.executor),
				new StatusProcessor(this.executor, () -> this.status.get()));
		this.acceptor = new PeerAcceptor(options,
				new RequestDispatcher(processors, this.executor, this.background, admission), reachability,
				() -> this.streams.get(), this.handshakes, this::isMember, new FounderIntroductions(),
				this::disconnected);
	}

	/**
	 * Sets the target for clients that other nodes forward. By default, they are refused.
	 * @param streams returns the target, {@code null} to refuse a client; called on
	 * network threads
	 */
	public void acceptStreams(Supplier<@Nullable StreamTarget> streams) {
		this.streams = streams;
	}

	/**
	 * Sets this node's answer to nodes that ask for its state.
	 * @param status returns the encoded state, {@code null} while the node is starting;
	 * must not wait
	 */
	public void answerStatus(Supplier<byte @Nullable []> status) {
		this.status = status;
	}

	/**
	 * Returns a client that asks other nodes for their state.
	 * @return a new client
	 */
	public StatusClient statusClient() {
		return new StatusClient(newConnections(null), this.background);
	}

	/**
	 * Sets which nodes may connect, in addition to those that this node connects to. By
	 * default, all nodes with a certificate may.
	 * @param members accepts the address of a node; called on network threads, so it must
	 * not block
	 */
	public void acceptMembers(Predicate<Endpoint> members) {
		this.members = members;
	}

	/**
	 * Sets the action to take when a founder knows this node with another directory.
	 * @param listener receives the reason, and how to fix the problem
	 */
	public void onLostDirectory(Consumer<String> listener) {
		this.onLostDirectory = listener;
	}

	/**
	 * Sets the action to take when a connected peer's process has ended. Detected only if
	 * the peer's machine is still running.
	 * @param listener receives the peer's address
	 */
	public void onProcessEnd(Consumer<Endpoint> listener) {
		this.onProcessEnd = listener;
	}

	/**
	 * Called when a connection that a peer has opened is closed. If its port no longer
	 * accepts connections, the peer's process has ended.
	 */
	private void disconnected(Endpoint peer) {
		Channel server = this.server;
		if (server == null || !server.isActive()) {
			// This node is closing.
			return;
		}
		// Runs in the background, because resolving the host name may take a long time.
		runLater(() -> bootstrap().handler(new ChannelInboundHandlerAdapter())
			.connect(new InetSocketAddress(peer.getIp(), peer.getPort()))
			.addListener((ChannelFuture connected) -> {
				connected.channel().close();
				if (connected.cause() instanceof ConnectException refused
						&& !(refused instanceof ConnectTimeoutException)) {
					runLater(() -> this.onProcessEnd.accept(peer));
				}
			}));
	}

	/**
	 * Connects to a node, unless there is already a connection. Returns immediately.
	 * @param peer address of the node
	 */
	public void open(Endpoint peer) {
		PeerConnections connections = this.connections;
		if (connections != null) {
			connections.open(peer);
		}
	}

	/**
	 * Returns whether there is an open connection over which a node can receive requests.
	 * @param peer address of the node
	 * @return whether the connection is open
	 */
	public boolean isConnected(Endpoint peer) {
		PeerConnections connections = this.connections;
		return connections != null && connections.isOpen(peer);
	}

	private void runLater(Runnable task) {
		try {
			this.background.execute(task);
		}
		catch (RejectedExecutionException ex) {
			// This node is closing.
		}
	}

	private boolean isMember(Endpoint peer) {
		PeerConnections connections = this.connections;
		// A node that is being added requests a snapshot before it is a member.
		return this.members.test(peer) || (connections != null && connections.contains(peer));
	}

	/**
	 * Returns a forwarder of clients to the leader.
	 * @return a new forwarder
	 */
	public StreamForwarder forwarder() {
		return forwarder(Relay.STALL_TIMEOUT);
	}

	StreamForwarder forwarder(Duration stallTimeout) {
		return new StreamForwarder(this.options, this::runLater, this.reachability, stallTimeout);
	}

	/**
	 * Starts to listen.
	 * @throws IOException if the address cannot be used; the message names the address
	 */
	public void start() throws IOException {
		ServerBootstrap bootstrap = new ServerBootstrap().group(this.eventLoops)
			.channel(NioServerSocketChannel.class)
			.option(ChannelOption.SO_REUSEADDR, true)
			.childOption(ChannelOption.TCP_NODELAY, true)
			.childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, QUEUED)
			.childHandler(this.acceptor);
		ChannelFuture bound = bootstrap.bind(this.options.listen()).awaitUninterruptibly();
		if (!bound.isSuccess()) {
			throw new IOException("Cannot listen for other nodes on " + this.options.listen() + ": "
					+ bound.cause().getMessage() + ". Use a free port and an address of this machine", bound.cause());
		}
		this.server = bound.channel();
	}

	/**
	 * Returns the address that this node listens on.
	 * @return the address
	 * @throws IllegalStateException if the transport was not started
	 */
	public InetSocketAddress localAddress() {
		Channel server = this.server;
		if (server == null) {
			throw new IllegalStateException("The transport was not started");
		}
		return (InetSocketAddress) server.localAddress();
	}

	/**
	 * Returns whether this node may send and receive messages, see
	 * {@link Directories#mayTakePart}.
	 */
	boolean mayTakePart() {
		return this.options.directories().mayTakePart();
	}

	PeerConnections connect(@Nullable ReplicatorGroup replicators) {
		this.replicators = replicators;
		PeerConnections connections = newConnections(replicators);
		this.connections = connections;
		return connections;
	}

	private PeerConnections newConnections(@Nullable ReplicatorGroup replicators) {
		return new PeerConnections(this.options, bootstrap(), this.background, this.reachability, replicators);
	}

	private Bootstrap bootstrap() {
		return new Bootstrap().group(this.eventLoops)
			.channel(NioSocketChannel.class)
			.option(ChannelOption.TCP_NODELAY, true)
			.option(ChannelOption.WRITE_BUFFER_WATER_MARK, QUEUED)
			.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS);
	}

	/**
	 * Returns the senders that replicate entries to peers while this node leads.
	 * @return the senders, {@code null} before the node was started
	 */
	public @Nullable ReplicatorGroup replicators() {
		return this.replicators;
	}

	/** Closes all connections. */
	@Override
	public void close() {
		Channel server = this.server;
		if (server != null) {
			server.close().awaitUninterruptibly();
		}
		this.acceptor.close();
		this.eventLoops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
		this.handshakes.shutdown();
		this.executor.shutdown();
		this.background.shutdown();
	}

	/**
	 * Runs introductions on background threads, because they wait for the disk or for
	 * name resolution.
	 */
	private final class FounderIntroductions implements Introductions {

		@Override
		public void meet(Endpoint peer, String directory) {
			runLater(() -> {
				PeerTransport.this.options.directories().record(peer, directory);
				open(peer);
			});
		}

		@Override
		public void lost(String reason) {
			runLater(() -> PeerTransport.this.onLostDirectory.accept(reason));
		}

		@Override
		public void introduce(Endpoint peer) {
			runLater(() -> open(peer));
		}

	}

}
