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

/**
 * Link of a node to its towers. Sends the beacons of the node, and passes the beacons of
 * other nodes to {@link Peers}. Connects by IP address: an unavailable name service must
 * not stop the thread of the node. Names are therefore resolved on separate threads,
 * repeatedly while a tower is not connected. Used by the thread of the node.
 */
final class TowerLink implements AutoCloseable {

	/** Maximum number of beacons in a beacon interval, when peers appear. */
	private static final int MAX_BEACONS = 20;

	/** Maximum number of beacons and of subscriptions that are read in a turn. */
	private static final int MESSAGES_PER_TURN = 64;

	/** Maximum size of a frame from a tower, in bytes. */
	private static final int MAX_BEACON = 1_024;

	private static final Logger logger = LoggerFactory.getLogger(TowerLink.class);

	/** Interval at which the name of an unconnected tower is resolved. */
	private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);

	/** Interval at which unfinished lookups are checked. */
	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	private final Publisher out;

	final Subscriber in;

	private final Beacons.Announcement announcement;

	private final long intervalNanos;

	private final long timeoutNanos;

	private final Peers peers;

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
	 * @param transport transport of the sockets
	 * @param options options of the node
	 * @param port port on which the node listens
	 * @param peers receives the beacons of other nodes
	 * @param resolver resolves the names of towers
	 * @param now the time in nanoseconds
	 */
	TowerLink(Transport transport, NodeOptions options, int port, Peers peers, HostResolver resolver, long now) {
		this.security = transport.security;
		this.peers = peers;
		this.intervalNanos = options.beaconInterval().toNanos();
		this.timeoutNanos = options.peerTimeout().toNanos();
		this.nextBeacon = now;
		this.earliestBeacon = now;
		this.nextExpiry = now + this.timeoutNanos;
		this.towerHeardAt = now - this.timeoutNanos;
		// A new id, not the address of a producer: after a restart, the node is another
		// peer at another port.
		Bytes id = (this.security != null) ? this.security.announcement(Node.newAddress())
				: Bytes.of(Node.newAddress());
		this.announcement = new Beacons.Announcement(id, host(options), port);
		this.out = new Publisher(transport, SocketLimits.publisher(options.highWaterMark(), 0));
		this.in = new Subscriber(transport, "SUB", SocketLimits.subscriber(MAX_BEACON, 0), Beacons.subscriptions());
		this.resolver = resolver;
		List<TowerAddress> towers = options.towers();
		this.connections = IntStream.range(0, towers.size())
			.mapToObj((index) -> new Connection(towers.get(index), index, now))
			.toList();
	}

	/** Returns the host to announce. A node that listens on one address announces it. */
	private static String host(NodeOptions options) {
		boolean everywhere = options.bindHost().equals("*") || options.bindHost().equals("0.0.0.0");
		return (everywhere || !options.advertisedHost().isEmpty()) ? options.advertisedHost() : options.bindHost();
	}

	/**
	 * Handles a limited number of messages from towers, and sends beacons that are due.
	 * @param now the time in nanoseconds
	 * @return time of the next call
	 */
	public long work(long now) {
		// A tower subscribes when it is connected. Earlier beacons are lost.
		for (int i = 0; i < MESSAGES_PER_TURN && this.out.receive() != null; i++) {
			this.nextBeacon = now;
		}
		boolean more = receive(now);
		long next = connect(now);
		if (this.peers.connect(now)) {
			this.nextBeacon = now;
		}
		if (now - this.nextBeacon >= 0 && now - this.earliestBeacon >= 0) {
			this.out.send(this.announcement.frames().toArray(new byte[0][]));
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

	/** Ends the lookups of names. The transport closes the sockets. */
	@Override
	public void close() {
		this.executor.shutdownNow();
	}

	/**
	 * Connects to towers whose names were resolved, disconnects their former addresses,
	 * and starts lookups that are due.
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
			byte[][] frames = this.in.receive();
			if (frames == null) {
				return false;
			}
			Beacons.Sighting sighting = Beacons.Sighting.of(List.of(frames));
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
			if (this.lookup != null || !isConnected()) {
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
			return this.host != null && TowerLink.this.in.isConnected(inEndpoint(this.host))
					&& TowerLink.this.out.isConnected(outEndpoint(this.host));
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
			else if (!address.equals(this.host)) {
				connect(address);
			}
		}

		private void connect(String address) {
			if (TowerLink.this.security != null) {
				TowerLink.this.security.tower(outEndpoint(address), this.index);
				TowerLink.this.security.tower(inEndpoint(address), this.index);
			}
			logger.debug("Connecting to the tower {} at {}", this.tower, address);
			TowerLink.this.out.connect(outEndpoint(address));
			TowerLink.this.in.connect(inEndpoint(address));
			if (this.host != null) {
				disconnect(this.host);
			}
			this.host = address;
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
