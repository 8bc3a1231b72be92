package io.statestore.dafka.node.internal;

import java.util.List;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's link to its towers. Sends the node's beacons and passes other nodes' beacons
 * to {@link Peers}. Used by the node's thread.
 */
final class TowerLink {

	/** Maximum number of beacons sent per beacon interval while peers appear. */
	private static final int MAX_BEACONS = 20;

	/** Maximum number of beacons, and of subscriptions, read per turn. */
	private static final int MESSAGES_PER_TURN = 64;

	/** Maximum size of a frame from a tower, in bytes. */
	private static final int MAX_BEACON = 1_024;

	private static final Logger logger = LoggerFactory.getLogger(TowerLink.class);

	private final Publisher out;

	final Subscriber in;

	private final Beacons.Announcement announcement;

	private final long intervalNanos;

	private final long timeoutNanos;

	private final Peers peers;

	private final @Nullable CurveSecurity security;

	private long nextBeacon;

	private long earliestBeacon;

	private long towerHeardAt;

	private long nextExpiry;

	/**
	 * Creates a link.
	 * @param transport transport for the sockets
	 * @param options network options
	 * @param port port on which the node listens
	 * @param peers receives other nodes' beacons
	 * @param now current time in nanoseconds
	 */
	TowerLink(Transport transport, NodeOptions options, int port, Peers peers, long now) {
		this.security = transport.security;
		this.peers = peers;
		this.intervalNanos = options.beaconInterval().toNanos();
		this.timeoutNanos = options.peerTimeout().toNanos();
		this.nextBeacon = now;
		this.earliestBeacon = now;
		this.nextExpiry = now + this.timeoutNanos;
		this.towerHeardAt = now - this.timeoutNanos;
		// A new ID instead of the producer's address, because after a restart the node is
		// another peer at another port.
		Bytes id = (this.security != null) ? this.security.announcement(Node.newAddress())
				: Bytes.of(Node.newAddress());
		this.announcement = new Beacons.Announcement(id, host(options), port);
		this.out = new Publisher(transport, SocketLimits.publisher(options.highWaterMark(), 0));
		this.in = new Subscriber(transport, "SUB", SocketLimits.subscriber(MAX_BEACON, 0), Beacons.SUBSCRIPTIONS);
		transport.loop.execute(() -> {
			for (int i = 0; i < options.towers().size(); i++) {
				connect(options.towers().get(i), i);
			}
		});
	}

	private void connect(TowerAddress tower, int index) {
		String outEndpoint = "tcp://" + tower.host() + ':' + tower.inPort();
		String inEndpoint = "tcp://" + tower.host() + ':' + tower.outPort();
		if (this.security != null) {
			this.security.tower(outEndpoint, index);
			this.security.tower(inEndpoint, index);
		}
		logger.debug("Connecting to the tower {}", tower);
		this.out.connect(outEndpoint);
		this.in.connect(inEndpoint);
	}

	/**
	 * Returns the host to announce. A node that listens on a single address announces
	 * this address.
	 */
	private static String host(NodeOptions options) {
		boolean everywhere = options.bindHost().equals("*") || options.bindHost().equals("0.0.0.0");
		return (everywhere || !options.advertisedHost().isEmpty()) ? options.advertisedHost() : options.bindHost();
	}

	/**
	 * Handles a limited number of messages from towers and sends beacons that are due.
	 * @param now current time in nanoseconds
	 * @return time of the next call in nanoseconds
	 */
	public long work(long now) {
		// A tower subscribes once it is connected. Earlier beacons were lost.
		for (int i = 0; i < MESSAGES_PER_TURN && this.out.receive() != null; i++) {
			this.nextBeacon = now;
		}
		boolean more = receive(now);
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
		due = Math.min(due, this.nextExpiry - now);
		return now + Math.min(due, this.peers.untilConnect());
	}

	/** Receives beacons and returns whether there may be more. */
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

}
