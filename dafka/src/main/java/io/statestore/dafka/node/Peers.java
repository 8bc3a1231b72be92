package io.statestore.dafka.node;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * The other nodes that a node hears of through the towers, and its connections to them. A
 * peer is forgotten when neither its beacons nor its connection are there, and only while
 * a tower is heard: without a tower missing beacons prove nothing.
 * <p>
 * Anyone can send beacons for any address. So connections are made at a bounded rate, few
 * may be under way, to one host even fewer, and addresses that were heard twice go first.
 */
final class Peers {

	private static final Logger logger = LoggerFactory.getLogger(Peers.class);

	private static final int MAX_PEERS = 10_000;

	private static final long CONNECT_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1) / 100;

	/** Connections that are made at once after a pause. */
	private static final int BURST = 20;

	/**
	 * Time after which a peer without connection is connected to anew: its name may have
	 * another address, and JeroMQ does not reconnect after a protocol error.
	 */
	private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

	/**
	 * Connections that an endpoint may lose in a period of {@link #RETRY_NANOS}. JeroMQ
	 * reconnects ten times a second, and keeps the buffers of each connection for
	 * seconds.
	 */
	private static final int MAX_LOSSES = 10;

	private static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final ZMQ.Socket subscriber;

	private final PeerConnections connected;

	private final Candidates candidates;

	private final Addresses addresses;

	private final long timeoutNanos;

	private final int maxConnections;

	/** Maximum number of messages of a peer that wait in the socket. */
	private final int maxQueued;

	private final Map<Bytes, Peer> peers = new HashMap<>();

	/** Number of peers by resolved endpoint. */
	private final Map<String, Integer> endpoints = new HashMap<>();

	/** Endpoints of forgotten peers, whose messages may still be unread, oldest first. */
	private final Map<String, Leaving> leaving = new LinkedHashMap<>();

	private final ConnectingSlots connecting = new ConnectingSlots();

	/** Endpoints that lost too many connections in this period. */
	private final Set<String> unstable = new HashSet<>();

	/** Number of messages received from all peers. */
	private long received;

	private long periodEnds;

	private long nextConnect;

	private long warnAt;

	private long refused;

	private volatile int size;

	Peers(ZMQ.Socket subscriber, PeerConnections connected, Addresses addresses, long timeoutNanos, int maxConnections,
			int maxQueued, long now) {
		this.subscriber = subscriber;
		this.connected = connected;
		this.addresses = addresses;
		this.timeoutNanos = timeoutNanos;
		this.maxConnections = maxConnections;
		this.maxQueued = maxQueued;
		this.candidates = new Candidates(timeoutNanos);
		this.periodEnds = now + RETRY_NANOS;
		this.nextConnect = now;
		this.warnAt = now;
	}

	int size() {
		return this.size;
	}

	/** Handles a beacon. */
	void heard(Bytes id, String endpoint, long now) {
		Peer peer = this.peers.get(id);
		// Towers in different networks may tell different addresses of the same node.
		if (peer != null && (peer.endpoint.equals(endpoint) || this.connected.contains(peer.address))) {
			peer.heardAt = now;
		}
		else {
			this.candidates.add(Candidate.of(id, endpoint, now), now);
		}
	}

	/**
	 * Connects to peers that were heard, as many as the rate allows.
	 * @return whether there are new peers
	 */
	boolean connect(long now) {
		boolean added = false;
		this.nextConnect = Math.max(this.nextConnect - now, -BURST * CONNECT_INTERVAL_NANOS) + now;
		while (this.nextConnect - now <= 0) {
			Candidate candidate = this.addresses.resolved();
			if (candidate == null) {
				candidate = nextCandidate(now);
				if (candidate == null) {
					break;
				}
				candidate = this.addresses.resolve(candidate);
			}
			this.nextConnect += CONNECT_INTERVAL_NANOS;
			added |= candidate != null && add(candidate, now);
		}
		this.size = this.peers.size();
		return added;
	}

	private @Nullable Candidate nextCandidate(long now) {
		if (this.candidates.isEmpty()) {
			return null;
		}
		this.connecting.removeIf(this.connected::contains);
		Candidate next = this.candidates.next(now, this.connecting);
		if (next == null) {
			this.nextConnect = now + CONNECT_INTERVAL_NANOS;
		}
		return next;
	}

	/** Returns the time until {@link #connect} may have something to do. */
	long untilConnect() {
		boolean waiting = !this.candidates.isEmpty() || this.addresses.isBusy();
		return waiting ? CONNECT_INTERVAL_NANOS : Long.MAX_VALUE;
	}

	private boolean add(Candidate candidate, long now) {
		String address = candidate.address();
		Peer before = this.peers.get(candidate.id());
		if (before != null && this.connected.contains(before.address)) {
			return false;
		}
		if (address == null || (before == null && this.peers.size() + this.leaving.size() >= MAX_PEERS)
				|| this.connected.size() >= this.maxConnections || this.unstable.contains(address)) {
			refuse(candidate, now);
			return false;
		}
		if (mustWait(address, candidate.host(), now)) {
			// Its next beacon tries again.
			return false;
		}
		if (!acquire(address, candidate.host())) {
			refuse(candidate, now);
			return false;
		}
		this.peers.put(candidate.id(), new Peer(candidate.endpoint(), address, now));
		if (before != null) {
			release(before.address, now);
		}
		return true;
	}

	/**
	 * Returns whether an endpoint is still to be disconnected before it can be connected,
	 * or whether there is no slot for it. A named host got its address without one.
	 */
	private boolean mustWait(String address, String host, long now) {
		Leaving left = this.leaving.get(address);
		if (left != null) {
			boolean connected = this.connected.contains(address);
			if (!connected && now - left.since > RETRY_NANOS) {
				// JeroMQ would have reconnected, and a node that is alive can repeat
				// what is dropped.
				left.atOnce = true;
			}
			return !connected;
		}
		this.connecting.removeIf(this.connected::contains);
		return !this.endpoints.containsKey(address) && (this.connecting.isFull() || !this.connecting.hasRoomFor(host));
	}

	private void refuse(Candidate candidate, long now) {
		this.refused++;
		if (now - this.warnAt >= 0) {
			this.warnAt = now + WARNING_NANOS;
			logger
				.warn("Not connecting to {} because its address is invalid, it lost too many connections, or there are "
						+ "too many peers (connections: {}, peers: {}). Beacons ignored so far: {}. Check which program sends beacons to the tower",
						candidate.endpoint(), this.connected.size(), this.peers.size(), this.refused);
		}
	}

	/**
	 * Forgets peers that are gone. To be called only while a tower is heard.
	 * @param now the time
	 */
	void expire(long now) {
		Set<String> known = new HashSet<>(this.endpoints.keySet());
		known.addAll(this.leaving.keySet());
		this.connected.retain(known);
		for (Iterator<Peer> each = this.peers.values().iterator(); each.hasNext();) {
			Peer peer = each.next();
			boolean heard = now - peer.heardAt <= this.timeoutNanos;
			boolean gone;
			if (this.connected.contains(peer.address)) {
				peer.connectedAt = now;
				// An earlier life of the same node, or a forged id.
				gone = !heard && this.endpoints.getOrDefault(peer.address, 0) > 1;
			}
			else {
				gone = !heard || now - peer.connectedAt > RETRY_NANOS;
			}
			boolean lossy = this.connected.losses(peer.address) > MAX_LOSSES;
			if (lossy) {
				this.unstable.add(peer.address);
			}
			if (gone || lossy) {
				each.remove();
				release(peer.address, now);
			}
			Leaving left = this.leaving.get(peer.address);
			if (lossy && left != null) {
				// Requests repair what is dropped.
				left.atOnce = true;
			}
		}
		if (now - this.periodEnds >= 0) {
			this.periodEnds = now + RETRY_NANOS;
			this.unstable.clear();
			this.connected.forgetLosses();
		}
		this.size = this.peers.size();
	}

	private boolean acquire(String address, String host) {
		// A forgotten peer that is connected again keeps its connection.
		if (!this.endpoints.containsKey(address) && this.leaving.remove(address) == null) {
			try {
				logger.debug("Connecting to {}", address);
				if (!this.subscriber.connect(address)) {
					return false;
				}
				this.connecting.add(address, host);
			}
			catch (ZMQException | IllegalArgumentException ex) {
				logger.debug("Cannot connect to {}", address, ex);
				return false;
			}
		}
		this.endpoints.merge(address, 1, Integer::sum);
		return true;
	}

	private void release(String address, long now) {
		if (this.endpoints.merge(address, -1, Integer::sum) == 0) {
			this.endpoints.remove(address);
			this.connecting.remove(address);
			if (this.connected.wasConnected(address)) {
				this.leaving.put(address, new Leaving(now, this.received));
			}
			else {
				disconnect(address);
			}
		}
	}

	/**
	 * Disconnects from forgotten peers whose messages were all received, because
	 * disconnecting drops unread ones. To be called only directly after a message was
	 * received, or when there was none. At other times the socket may have already read
	 * the first frame of a message, and the others would never come.
	 * @param messages number of messages received since the previous call
	 * @param empty whether every message that has arrived was received
	 */
	void received(int messages, boolean empty) {
		this.received += messages;
		for (Iterator<Map.Entry<String, Leaving>> each = this.leaving.entrySet().iterator(); each.hasNext();) {
			Map.Entry<String, Leaving> left = each.next();
			if (empty || isDue(left.getValue())) {
				each.remove();
				disconnect(left.getKey());
			}
		}
	}

	/** The socket takes turns: with each round it returns one message of each peer. */
	private boolean isDue(Leaving left) {
		int connections = this.endpoints.size() + this.leaving.size();
		// Twice, since the order of the turns may change.
		return left.atOnce || this.received - left.receivedBefore > 2L * this.maxQueued * connections
				|| this.peers.size() + this.leaving.size() >= MAX_PEERS;
	}

	private void disconnect(String address) {
		logger.debug("Disconnecting from {}", address);
		this.subscriber.disconnect(address);
		this.connected.remove(address);
	}

	private static final class Peer {

		/** As told by the beacon. */
		private final String endpoint;

		private final String address;

		private long heardAt;

		/** Time when it was seen connected, or when connecting began. */
		private long connectedAt;

		Peer(String endpoint, String address, long now) {
			this.endpoint = endpoint;
			this.address = address;
			this.heardAt = now;
			this.connectedAt = now;
		}

	}

	/** When a peer was forgotten. */
	private static final class Leaving {

		private final long since;

		/** Number of messages that were received before. */
		private final long receivedBefore;

		/** Whether to disconnect even if messages are unread. */
		private boolean atOnce;

		Leaving(long since, long receivedBefore) {
			this.since = since;
			this.receivedBefore = receivedBefore;
		}

	}

	/**
	 * A node to connect to.
	 *
	 * @param id id from its beacon
	 * @param endpoint endpoint from its beacon
	 * @param host host of the endpoint, a name or an address
	 * @param address resolved endpoint, {@code null} before, or if it does not resolve
	 * @param heardAt time of the beacon
	 */
	record Candidate(Bytes id, String endpoint, String host, @Nullable String address, long heardAt) {

		static Candidate of(Bytes id, String endpoint, long now) {
			String host = endpoint.substring("tcp://".length(), endpoint.lastIndexOf(':'));
			return new Candidate(id, endpoint, host, null, now);
		}

		Candidate at(@Nullable String address) {
			return new Candidate(this.id, this.endpoint, this.host, address, this.heardAt);
		}

	}

}
