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
 * Forwards the connections of clients to one other node at a time, the leader. Opens a
 * limited number of connections at once, because each requires a TLS handshake.
 * Thread-safe.
 */
public final class StreamForwarder implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(StreamForwarder.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	/** Fewer than the connections of one address that the leader keeps. */
	private static final int MAX_OPENING = 12;

	private static final int CONNECT_TIMEOUT_MILLIS = 1_000;

	private final TransportOptions options;

	private final Executor background;

	private final Reachability reachability;

	private final Duration stallTimeout;

	/** Connections of clients, all of them to the same node. */
	private ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

	private final Queue<Runnable> waiting = new ArrayDeque<>();

	private @Nullable Endpoint leader;

	/** Address of the leader, {@code null} until its name is resolved. */
	private @Nullable InetSocketAddress address;

	private int opening;

	StreamForwarder(TransportOptions options, Executor background, Reachability reachability, Duration stallTimeout) {
		this.stallTimeout = stallTimeout;
		this.options = options;
		this.background = background;
		this.reachability = reachability;
	}

	/**
	 * Sets the node to forward to. Closes the connections of all clients if it is another
	 * one than before. Returns at once.
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

	/** Resolves the name of a node, which may take long. */
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
				// Without an address, the next call tries again.
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
	 * Connects a client with the leader, or closes its connection.
	 * @param client the connection, which does not read by itself; called on its event
	 * loop
	 * @param clientAddress address of the client
	 * @param established called when the leader has accepted the client, on the event
	 * loop
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

	/** Lets the next client be connected, after one was or failed to be. */
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

	/** Closes the connections of all clients. */
	@Override
	public void close() {
		setLeader(null);
	}

}
