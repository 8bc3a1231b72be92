package io.statestore.dafka.node.internal;

import java.util.List;
import java.util.Locale;
import java.util.UUID;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

/**
 * Link of a node to its towers. Sends the beacons of the node, and passes the beacons of
 * other nodes to {@link Peers}. Used by the thread of the node. Internal: not part of the
 * API.
 */
final class TowerLink implements AutoCloseable {

	/** Maximum number of beacons in a beacon interval, when peers appear. */
	private static final int MAX_BEACONS = 20;

	/** Maximum number of beacons and of subscriptions that are read in a turn. */
	private static final int MESSAGES_PER_TURN = 64;

	/** Maximum size of a frame from a tower, in bytes. */
	private static final int MAX_BEACON = 1_024;

	private static final int MAX_FRAMES = 16;

	private final ZMQ.Socket out;

	private final ZMQ.Socket in;

	private final Beacons.Announcement announcement;

	private final long intervalNanos;

	private final long timeoutNanos;

	private final Peers peers;

	private final TowerConnections connections;

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
		Bytes id = (security != null) ? security.announcement(newAddress()) : Bytes.of(newAddress());
		this.announcement = new Beacons.Announcement(id, host(options), port);
		PeerConnections connected = new PeerConnections();
		this.out = context.socket(SocketType.XPUB, SocketLimits.publisher(0), connected::changed).configure(options);
		this.out.setXpubVerbose(true);
		this.in = context.socket(SocketType.SUB, SocketLimits.subscriber(MAX_BEACON, MAX_FRAMES), connected::changed)
			.configure(options);
		this.in.setLinger(0);
		this.out.setLinger(0);
		Beacons.subscriptions().forEach(this.in::subscribe);
		this.connections = new TowerConnections(options.towers(), this.out, this.in, connected, security, resolver,
				now);
	}

	/** Returns the host to announce. A node that listens on one address announces it. */
	private static String host(NodeOptions options) {
		boolean everywhere = options.bindHost().equals("*") || options.bindHost().equals("0.0.0.0");
		return (everywhere || !options.advertisedHost().isEmpty()) ? options.advertisedHost() : options.bindHost();
	}

	/**
	 * Returns a new address, in the form of the reference implementation.
	 * @return 32 upper-case hexadecimal digits
	 */
	public static String newAddress() {
		return UUID.randomUUID().toString().replace("-", "").toUpperCase(Locale.ROOT);
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
		long next = this.connections.work(now);
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
		this.connections.close();
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

}
