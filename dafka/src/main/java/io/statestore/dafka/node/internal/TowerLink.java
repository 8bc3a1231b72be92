package io.statestore.dafka.node.internal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.internal.WarningLimit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * Link of a node to its towers. Sends the beacons of the node, and passes the beacons of
 * other nodes to {@link Peers}. Connects by IP address: JeroMQ would resolve names on its
 * only I/O thread, where an unavailable name service would stop all connections. Names
 * are therefore resolved on separate threads, repeatedly while a tower is not connected.
 * Used by the thread of the node.
 */
final class TowerLink implements AutoCloseable {

	/** Maximum number of beacons in a beacon interval, when peers appear. */
	private static final int MAX_BEACONS = 20;

	/** Maximum number of beacons and of subscriptions that are read in a turn. */
	private static final int MESSAGES_PER_TURN = 64;

	/** Maximum size of a frame from a tower, in bytes. */
	private static final int MAX_BEACON = 1_024;

	private static final int MAX_FRAMES = 16;

	private static final Logger logger = LoggerFactory.getLogger(TowerLink.class);

	/** Interval at which the name of an unconnected tower is resolved. */
	private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);

	/**
	 * Time after which the connection to an unconnected tower is created again, because
	 * JeroMQ does not reconnect after a protocol error.
	 */
	private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** Interval at which unfinished lookups are checked. */
	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	final ZMQ.Socket out;

	final ZMQ.Socket in;

	private final Beacons.Announcement announcement;

	private final long intervalNanos;

	private final long timeoutNanos;

	private final Peers peers;

	final PeerConnections connected = new PeerConnections();

	private final List<Connection> connections;

	private final @Nullable CurveSecurity security;

	private final HostResolver resolver;

	private final ExecutorService executor = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(task, "dafka-tower-resolver");
		thread.setDaemon(true);
		return thread;
	});

	private long nextBeacon;

	private long earliestBeacon;

	private long towerHeardAt;

	private long nextExpiry;

	/**
	 * Creates a link.
	 * @param context creates the sockets
	 * @param options options of the node
	 * @param port port on which the node listens
	 * @param peers receives the beacons of other nodes
	 * @param security keys of the node, {@code null} without CURVE
	 * @param resolver resolves the names of towers
	 * @param now the time in nanoseconds
	 */
	public TowerLink(GuardedContext context, NodeOptions options, int port, Peers peers,
			@Nullable CurveSecurity security, HostResolver resolver, long now) {
		this.peers = peers;
		this.intervalNanos = options.beaconInterval().toNanos();
		this.timeoutNanos = options.peerTimeout().toNanos();
		this.nextBeacon = now;
		this.earliestBeacon = now;
		this.nextExpiry = now + this.timeoutNanos;
		this.towerHeardAt = now - this.timeoutNanos;
		// A new id, not the address of a producer: after a restart, the node is another
		// peer at another port.
		Bytes id = (security != null) ? security.announcement(Node.newAddress()) : Bytes.of(Node.newAddress());
		this.announcement = new Beacons.Announcement(id, host(options), port);
		this.out = context.socket(SocketType.XPUB, SocketLimits.publisher(0), this.connected::changed)
			.configure(options);
		this.out.setXpubVerbose(true);
		this.in = context
			.socket(SocketType.SUB, SocketLimits.subscriber(MAX_BEACON, MAX_FRAMES), this.connected::changed)
			.configure(options);
		this.in.setLinger(0);
		this.out.setLinger(0);
		Beacons.subscriptions().forEach(this.in::subscribe);
		this.security = security;
		this.resolver = resolver;
		List<TowerAddress> towers = options.towers();
		this.connections = IntStream.range(0, towers.size())
			.mapToObj((index) -> new Connection(towers.get(index), index, now))
			.toList();
		connect(now);
	}

	/** Returns the host to announce. A node that listens on one address announces it. */
	private static String host(NodeOptions options) {
		boolean everywhere = options.bindHost().equals("*") || options.bindHost().equals("0.0.0.0");
		return (everywhere || !options.advertisedHost().isEmpty()) ? options.advertisedHost() : options.bindHost();
	}

	/**
	 * Returns the sockets, which wake the thread of the node.
	 * @return the sockets
	 */
	public List<ZMQ.Socket> sockets() {
		return List.of(this.in, this.out);
	}

	/**
	 * Handles a limited number of messages from towers, and sends beacons that are due.
	 * @param now the time in nanoseconds
	 * @return time of the next call
	 */
	public long work(long now) {
		// A tower subscribes when it is connected. Earlier beacons are lost.
		for (int i = 0; i < MESSAGES_PER_TURN && this.out.recv(ZMQ.DONTWAIT) != null; i++) {
			this.nextBeacon = now;
		}
		boolean more = receive(now);
		long next = connect(now);
		if (this.peers.connect(now)) {
			this.nextBeacon = now;
		}
		if (now - this.nextBeacon >= 0 && now - this.earliestBeacon >= 0) {
			Beacons.send(this.out, this.announcement.frames());
			this.nextBeacon = now + this.intervalNanos;
			this.earliestBeacon = now + this.intervalNanos / MAX_BEACONS;
		}
		if (now - this.nextExpiry >= 0) {
			this.nextExpiry = now + this.intervalNanos;
			if (now - this.towerHeardAt < this.timeoutNanos) {
				this.peers.expire(now);
			}
		}
		if (more) {
			return now;
		}
		long due = Math.max(this.nextBeacon - now, this.earliestBeacon - now);
		due = Math.min(due, Math.min(this.nextExpiry - now, next - now));
		return now + Math.min(due, this.peers.untilConnect());
	}

	/** Ends the lookups of names. The context closes the sockets. */
	@Override
	public void close() {
		this.executor.shutdownNow();
	}

	/**
	 * Connects to towers whose names were resolved, disconnects their former addresses,
	 * and starts lookups that are due. Must be called directly after a message was
	 * received, or when there was none. At other times, the socket may have read the
	 * first frame of a message. Disconnecting would drop the other frames, and receiving
	 * them would block.
	 * @return time of the next call
	 */
	private long connect(long now) {
		long wait = RETRY_NANOS;
		for (Connection connection : this.connections) {
			wait = Math.min(wait, connection.work(now));
		}
		return now + wait;
	}

	/** Receives beacons, and returns whether there may be more. */
	private boolean receive(long now) {
		for (int i = 0; i < MESSAGES_PER_TURN; i++) {
			List<byte[]> frames = Beacons.receive(this.in);
			if (frames == null) {
				return false;
			}
			Beacons.Sighting sighting = Beacons.Sighting.of(frames);
			if (sighting != null) {
				handle(sighting, now);
			}
		}
		return true;
	}

	private void handle(Beacons.Sighting sighting, long now) {
		this.towerHeardAt = now;
		if (!sighting.id().equals(this.announcement.id())) {
			this.peers.heard(sighting.id(), sighting.endpoint(), now);
		}
	}

	/** Connection to one tower. */
	private final class Connection {

		private final TowerAddress tower;

		private final int index;

		/** Whether the host is an IP address, which needs no name service. */
		private final boolean literal;

		private final WarningLimit warnings = new WarningLimit();

		/** IP address of the current connection, {@code null} if there is none. */
		private @Nullable String host;

		/** Unfinished lookup, {@code null} if there is none. */
		private @Nullable CompletableFuture<@Nullable String> lookup;

		private long retryAt;

		/** Time when it was last seen connected, or when connecting began. */
		private long connectedAt;

		Connection(TowerAddress tower, int index, long now) {
			this.tower = tower;
			this.index = index;
			this.retryAt = now;
			this.literal = HostResolver.isAddress(tower.host());
		}

		/** Does the work that is due, and returns the time until the next call. */
		long work(long now) {
			if (this.lookup == null && now - this.retryAt < 0) {
				return this.retryAt - now;
			}
			if (this.lookup == null && isConnected()) {
				this.connectedAt = now;
			}
			else {
				this.lookup = (this.lookup != null) ? this.lookup : lookUp();
				if (!this.lookup.isDone()) {
					return POLL_NANOS;
				}
				resolved(this.lookup.join(), now);
				this.lookup = null;
			}
			this.retryAt = now + RETRY_NANOS;
			return RETRY_NANOS;
		}

		private boolean isConnected() {
			return this.host != null && TowerLink.this.connected.contains(inEndpoint(this.host))
					&& TowerLink.this.connected.contains(outEndpoint(this.host));
		}

		private CompletableFuture<@Nullable String> lookUp() {
			if (this.literal) {
				return CompletableFuture.completedFuture(this.tower.host());
			}
			return CompletableFuture
				.supplyAsync(() -> TowerLink.this.resolver.resolve(this.tower.host()), TowerLink.this.executor)
				.exceptionally((failure) -> null);
		}

		private void resolved(@Nullable String address, long now) {
			if (address == null) {
				this.warnings.warn(logger, now,
						"Cannot resolve the tower '{}'. Trying again every {} s. Check 'towers' and the name"
								+ " service",
						this.tower.host(), TimeUnit.NANOSECONDS.toSeconds(RETRY_NANOS));
			}
			else if (this.host != null && address.equals(this.host) && now - this.connectedAt >= RECONNECT_NANOS) {
				disconnect(address);
				this.host = null;
			}
			else if (!address.equals(this.host)) {
				connect(address, now);
			}
		}

		private void connect(String address, long now) {
			// Earlier connections to this address may have left their state.
			TowerLink.this.connected.remove(outEndpoint(address));
			TowerLink.this.connected.remove(inEndpoint(address));
			if (TowerLink.this.security != null) {
				TowerLink.this.security.tower(outEndpoint(address), this.index);
				TowerLink.this.security.tower(inEndpoint(address), this.index);
			}
			logger.debug("Connecting to the tower {} at {}", this.tower, address);
			try {
				TowerLink.this.out.connect(outEndpoint(address));
				TowerLink.this.in.connect(inEndpoint(address));
			}
			catch (ZMQException | IllegalArgumentException ex) {
				TowerLink.this.out.disconnect(outEndpoint(address));
				this.warnings.warn(logger, now, "Cannot connect to the tower {} at {}. Trying again every {} s",
						this.tower, address, TimeUnit.NANOSECONDS.toSeconds(RETRY_NANOS), ex);
				return;
			}
			if (this.host != null) {
				disconnect(this.host);
			}
			this.host = address;
			this.connectedAt = now;
		}

		private void disconnect(String address) {
			TowerLink.this.out.disconnect(outEndpoint(address));
			TowerLink.this.in.disconnect(inEndpoint(address));
		}

		/** Returns the endpoint that receives the beacons of nodes. */
		private String outEndpoint(String address) {
			return "tcp://" + address + ':' + this.tower.inPort();
		}

		/** Returns the endpoint that sends beacons to nodes. */
		private String inEndpoint(String address) {
			return "tcp://" + address + ':' + this.tower.outPort();
		}

	}

}
