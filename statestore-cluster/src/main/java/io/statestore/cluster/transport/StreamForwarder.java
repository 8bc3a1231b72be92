package io.statestore.cluster.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Executor;

import com.alipay.sofa.jraft.util.Endpoint;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.statestore.broker.server.ClientLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards client connections to the leader, one other node at a time. Limits how many
 * connections are opened simultaneously, because each requires a TLS handshake.
 * Thread-safe.
 */
public final class StreamForwarder implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(StreamForwarder.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	/**
	 * Maximum number of connections being opened. Less than the number of unverified
	 * connections that the leader keeps for an address.
	 */
	private static final int MAX_OPENING = 12;

	private static final int CONNECT_TIMEOUT_MILLIS = 1_000;

	private final TransportOptions options;

	private final Executor background;

	private final Reachability reachability;

	private final Duration stallTimeout;

	/** Client connections, all forwarded to the same node. */
	private ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

	private final Queue<Runnable> waiting = new ArrayDeque<>();

	private @Nullable Endpoint leader;

	/** The leader's address, {@code null} until its name is resolved. */
	private @Nullable InetSocketAddress address;

	private int opening;

	StreamForwarder(TransportOptions options, Executor background, Reachability reachability, Duration stallTimeout) {
		this.stallTimeout = stallTimeout;
		this.options = options;
		this.background = background;
		this.reachability = reachability;
	}

	/**
	 * Sets the node to forward to. If it has changed, closes all client connections.
	 * Returns immediately.
	 * @param leader the leader, {@code null} for none
	 */
	public void setLeader(@Nullable Endpoint leader) {
		ChannelGroup ended;
		synchronized (this) {
			if (Objects.equals(leader, this.leader)) {
				return;
			}
			this.leader = leader;
			this.address = null;
			ended = this.clients;
			this.clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
		}
		ended.close();
		if (leader != null) {
			this.background.execute(() -> resolve(leader));
		}
	}

	/** Resolves a node's name, which may take a long time. */
	private void resolve(Endpoint node) {
		InetSocketAddress resolved = null;
		try {
			resolved = new InetSocketAddress(InetAddress.getByName(node.getIp()), node.getPort());
		}
		catch (UnknownHostException ex) {
			clientLog
				.warn("Cannot forward clients to node {}, because its name cannot be resolved. Check the name service "
						+ "of this machine", node);
		}
		synchronized (this) {
			if (node.equals(this.leader)) {
				this.address = resolved;
				// Without an address, the next call of setLeader tries again.
				this.leader = (resolved != null) ? node : null;
			}
		}
	}

	/**
	 * Returns whether clients can be forwarded.
	 * @return {@code true} if there is a leader whose address is known
	 */
	public synchronized boolean isReady() {
		return this.address != null;
	}

	/**
	 * Connects a client to the leader, or closes the client's connection. Must be called
	 * on the connection's event loop.
	 * @param client the connection, without automatic reading
	 * @param clientAddress address of the client
	 * @param established called on the event loop when the leader has accepted the client
	 */
	public void forward(Channel client, InetSocketAddress clientAddress, Runnable established) {
		Runnable task;
		synchronized (this) {
			Endpoint leader = this.leader;
			InetSocketAddress address = this.address;
			if (leader == null || address == null || !this.reachability.reaches(this.options.self(), leader)) {
				client.close();
				return;
			}
			this.clients.add(client);
			task = () -> open(client, clientAddress, leader, address, established);
			if (this.opening >= MAX_OPENING) {
				this.waiting.add(() -> client.eventLoop().execute(task));
				return;
			}
			this.opening++;
		}
		task.run();
	}

	private void open(Channel client, InetSocketAddress clientAddress, Endpoint leader, InetSocketAddress address,
			Runnable established) {
		if (!client.isActive()) {
			opened();
			return;
		}
		StreamOpening opening = new StreamOpening(this.options, leader, clientAddress, client, established,
				this::opened, this.stallTimeout);
		new Bootstrap().group(client.eventLoop())
			.channel(NioSocketChannel.class)
			.option(ChannelOption.TCP_NODELAY, true)
			.option(ChannelOption.WRITE_BUFFER_WATER_MARK, Relay.QUEUED)
			.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
			.handler(new PeerInitializer(this.options, leader, opening))
			.connect(address)
			.addListener((connected) -> {
				if (!connected.isSuccess()) {
					logger.debug("Cannot connect to node {}", leader, connected.cause());
					opening.end();
				}
			});
	}

	/** Starts to connect the next client, after an attempt has ended. */
	private void opened() {
		Runnable next;
		synchronized (this) {
			next = this.waiting.poll();
			if (next == null) {
				this.opening--;
			}
		}
		if (next != null) {
			next.run();
		}
	}

	/** Closes all client connections. */
	@Override
	public void close() {
		setLeader(null);
	}

}
