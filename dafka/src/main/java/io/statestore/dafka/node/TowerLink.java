package io.statestore.dafka.node;

import java.util.List;
import java.util.Locale;
import java.util.UUID;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.wire.Beacons;
import io.statestore.dafka.zmtp.GuardedContext;
import io.statestore.dafka.zmtp.SocketLimits;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

/**
 * The connections of a node to all its towers: announces the node and tells {@link Peers}
 * who else is there.
 */
final class TowerLink implements AutoCloseable {

	/** How often at most a beacon is sent because peers appear. */
	private static final int BURST = 20;

	/** Beacons and subscriptions that are read before records have a turn. */
	private static final int MESSAGES_PER_TURN = 64;

	/** Maximum size of each frame from a tower. */
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
	 * @param resolver resolves the names of towers
	 */
	TowerLink(GuardedContext context, NodeOptions options, int port, Peers peers, HostResolver resolver, long now) {
		this.peers = peers;
		this.intervalNanos = options.beaconInterval().toNanos();
		this.timeoutNanos = options.peerTimeout().toNanos();
		this.nextBeacon = now;
		this.earliestBeacon = now;
		this.nextExpiry = now + this.timeoutNanos;
		this.towerHeardAt = now - this.timeoutNanos;
		// Not the address of the producer: after a restart this is another peer at
		// another port.
		Bytes id = Bytes.of(newAddress());
		this.announcement = new Beacons.Announcement(id, host(options), port);
		PeerConnections connected = new PeerConnections();
		this.out = Node.configured(context.socket(SocketType.XPUB, SocketLimits.publisher(0), connected::changed),
				options);
		this.out.setXpubVerbose(true);
		this.in = Node.configured(
				context.socket(SocketType.SUB, SocketLimits.subscriber(MAX_BEACON, MAX_FRAMES), connected::changed),
				options);
		this.in.setLinger(0);
		this.out.setLinger(0);
		Beacons.subscriptions().forEach(this.in::subscribe);
		this.connections = new TowerConnections(options.towers(), this.out, this.in, connected, resolver, now);
	}

	/** Who listens on one address only is reached there and nowhere else. */
	private static String host(NodeOptions options) {
		boolean everywhere = options.bindHost().equals("*") || options.bindHost().equals("0.0.0.0");
		return (everywhere || !options.advertisedHost().isEmpty()) ? options.advertisedHost() : options.bindHost();
	}

	/** An address as the reference makes them: 32 upper-case hexadecimal digits. */
	static String newAddress() {
		return UUID.randomUUID().toString().replace("-", "").toUpperCase(Locale.ROOT);
	}

	List<ZMQ.Socket> sockets() {
		return List.of(this.in, this.out);
	}

	/**
	 * Reads what towers say, some of it in each call, and sends what is due.
	 * @return when to come again
	 */
	long work(long now) {
		// A tower subscribes when the connection is made: what is sent before is lost.
		for (int i = 0; i < MESSAGES_PER_TURN && this.out.recv(ZMQ.DONTWAIT) != null; i++) {
			this.nextBeacon = now;
		}
		long next = this.connections.work(now);
		boolean more = receive(now);
		this.connections.received();
		if (this.peers.connect(now)) {
			this.nextBeacon = now;
		}
		if (now - this.nextBeacon >= 0 && now - this.earliestBeacon >= 0) {
			Frames.send(this.out, this.announcement.frames());
			this.nextBeacon = now + this.intervalNanos;
			this.earliestBeacon = now + this.intervalNanos / BURST;
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

	/** Ends looking up the names of towers. The sockets belong to their context. */
	@Override
	public void close() {
		this.connections.close();
	}

	/** Returns whether there may be more. */
	private boolean receive(long now) {
		for (int i = 0; i < MESSAGES_PER_TURN; i++) {
			List<byte[]> frames = Frames.receive(this.in);
			if (frames == null) {
				return false;
			}
			Beacons.Sighting sighting = Beacons.Sighting.of(frames);
			if (sighting != null) {
				sighted(sighting, now);
			}
		}
		return true;
	}

	private void sighted(Beacons.Sighting sighting, long now) {
		this.towerHeardAt = now;
		if (!sighting.id().equals(this.announcement.id())) {
			this.peers.heard(sighting.id(), sighting.endpoint(), now);
		}
	}

}
