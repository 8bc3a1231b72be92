package io.statestore.dafka.node.internal;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import io.statestore.dafka.Ticker;
import org.jspecify.annotations.Nullable;
import org.zeromq.ZMQ;
import zmq.Msg;
import zmq.io.Metadata;

/**
 * Relay of a tower: passes the beacons of nodes to all nodes, at a limited rate, and
 * welcomes new subscribers. Used by the thread of the tower; any thread may read the
 * counters.
 */
final class BeaconRelay {

	/** Maximum number of subscriptions that are read in a turn. */
	private static final int SUBSCRIPTIONS_PER_TURN = 1_024;

	/**
	 * Maximum number of beacons that are read in a window, which allows 5,000 a second.
	 * Each beacon causes work for all nodes, so a flood must be slowed down. Connections
	 * take turns.
	 */
	private static final int BEACONS_PER_WINDOW = 50;

	private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final ZMQ.Socket in;

	private final ZMQ.Socket out;

	/** Host announced instead of a loopback address, {@code null} for none. */
	private final @Nullable String ownHost;

	/** Whether nodes must announce the public key of their connection. */
	private final boolean curve;

	private final Ticker ticker;

	private final LongAdder beacons = new LongAdder();

	private final LongAdder malformed = new LongAdder();

	/** End of the current window. */
	private long windowEnds;

	/** Number of beacons that may still be read in the current window. */
	private int left;

	/**
	 * Creates a relay.
	 * @param in receives beacons from nodes
	 * @param out sends beacons to nodes
	 * @param ownHost host announced instead of a loopback address
	 * @param curve whether nodes must announce the public key of their connection
	 */
	BeaconRelay(ZMQ.Socket in, ZMQ.Socket out, @Nullable String ownHost, boolean curve, Ticker ticker) {
		this.curve = curve;
		this.in = in;
		this.out = out;
		this.ownHost = ownHost;
		this.ticker = ticker;
		this.windowEnds = ticker.nanos();
	}

	/** Returns the number of relayed beacons. */
	long beacons() {
		return this.beacons.sum();
	}

	/** Returns the number of dropped messages that are not beacons. */
	long malformed() {
		return this.malformed.sum();
	}

	/**
	 * Handles what has arrived, then waits for the next window if this one is used up.
	 */
	void turn() {
		welcome();
		relay();
		if (this.left == 0) {
			LockSupport.parkNanos(this.windowEnds - this.ticker.nanos());
		}
	}

	/**
	 * Welcomes new subscribers. The message goes to all subscribers, because a publisher
	 * cannot address a single one; the other subscribers ignore it.
	 */
	private void welcome() {
		boolean requested = false;
		for (int i = 0; i < SUBSCRIPTIONS_PER_TURN; i++) {
			byte[] message = this.out.recv(ZMQ.DONTWAIT);
			if (message == null) {
				break;
			}
			requested |= message.length > 1 && message[0] == 1
					&& Beacons.isWelcomeSubscription(Arrays.copyOfRange(message, 1, message.length));
		}
		if (requested) {
			this.out.send(Beacons.welcome());
		}
	}

	/** Relays beacons until none is left, or the window is used up. */
	private void relay() {
		long now = this.ticker.nanos();
		if (now - this.windowEnds >= 0) {
			this.windowEnds = now + WINDOW_NANOS;
			this.left = BEACONS_PER_WINDOW;
		}
		for (; this.left > 0; this.left--) {
			Msg first = this.in.base().recv(ZMQ.DONTWAIT);
			if (first == null) {
				return;
			}
			List<byte[]> frames = Frames.rest(this.in, first.data());
			Beacons.Announcement announcement = Beacons.Announcement.of(frames);
			boolean valid = announcement != null && (!this.curve || isOwn(announcement, first));
			String host = (announcement != null && valid) ? host(announcement, first) : null;
			if (announcement == null || host == null) {
				this.malformed.increment();
				continue;
			}
			Frames.send(this.out,
					new Beacons.Sighting(announcement.id(), "tcp://" + host + ':' + announcement.port()).frames());
			this.beacons.increment();
		}
	}

	/** Returns whether a node announces itself, and not another node. */
	private static boolean isOwn(Beacons.Announcement announcement, Msg message) {
		Metadata metadata = message.getMetadata();
		return metadata != null && CurveSecurity.isOwn(announcement.id(), metadata.get(Metadata.USER_ID));
	}

	/** Returns the host to announce for a node, or {@code null} if it is unknown. */
	private @Nullable String host(Beacons.Announcement announcement, Msg message) {
		if (!announcement.host().isEmpty()) {
			return announcement.host();
		}
		Metadata metadata = message.getMetadata();
		String peer = (metadata != null) ? metadata.get(Metadata.PEER_ADDRESS) : null;
		if (peer == null) {
			return null;
		}
		String host = withoutPort(peer);
		return (isLoopback(host) && this.ownHost != null) ? this.ownHost : host;
	}

	/** Returns the host of an address that may end with a port. */
	static String withoutPort(String peer) {
		int colon = peer.lastIndexOf(':');
		boolean bareV6 = peer.indexOf(':') != colon && !peer.startsWith("[");
		return (colon < 0 || bareV6 || peer.endsWith("]")) ? peer : peer.substring(0, colon);
	}

	private static boolean isLoopback(String host) {
		return host.startsWith("127.") || host.equals("[::1]") || host.equals("::1");
	}

}
