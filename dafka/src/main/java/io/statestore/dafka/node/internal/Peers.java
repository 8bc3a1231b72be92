package io.statestore.dafka.node.internal;

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
 * Other nodes that the towers announce, and the connections to them. A peer is removed
 * when neither beacons nor a connection show that it is running. This applies only while
 * a tower is connected, because without a tower there are no beacons.
 * <p>
 * Any program can send beacons with any address. Therefore the rate of new connections is
 * limited, and so is the number of unfinished ones, in total and for each host. Addresses
 * that were announced twice have priority.
 * <p>
 * An endpoint without peers is disconnected only after its messages were received,
 * because disconnecting drops unread messages. Not thread-safe, except for {@link #size}.
 *
 */
final class Peers {

	private static final Logger logger = LoggerFactory.getLogger(Peers.class);

	private static final int MAX_PEERS = 10_000;

	private static final long CONNECT_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1) / 100;

	/** Maximum number of connections made at once after a pause. */
	private static final int BURST = 20;

	/**
	 * Time after which the connection to an unconnected peer is created again. Its name
	 * may have another address, and JeroMQ does not reconnect after a protocol error.
	 */
	private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

	/**
	 * Maximum number of connections that an endpoint may lose in a period of
	 * {@link #RETRY_NANOS}. JeroMQ reconnects ten times a second, and keeps the buffers
	 * of each connection for seconds.
	 */
	private static final int MAX_LOSSES = 10;

	private static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(1);

	/**
	 * Time after which a lost connection of a removed peer is disconnected, even if
	 * messages are unread.
	 */
	private static final long MAX_RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(10);

	private final PeerConnections connected;

	private final @Nullable CurveSecurity security;

	private final Candidates candidates;

	private final Addresses addresses;

	private final long timeoutNanos;

	private final int maxConnections;

	private final Map<Bytes, Peer> peers = new HashMap<>();

	/** Endpoints that lost too many connections in this period. */
	private final Set<String> unstable = new HashSet<>();

	private final ZMQ.Socket subscriber;

	/** Maximum number of messages of a peer that wait in the socket. */
	private final int maxQueued;

	/** Number of peers that announce each endpoint. */
	private final Map<String, Integer> endpoints = new HashMap<>();

	/** Endpoints without peers, whose messages may be unread, oldest first. */
	private final Map<String, Leaving> leaving = new LinkedHashMap<>();

	private final ConnectingSlots connecting = new ConnectingSlots();

	private long periodEnds;

	private long nextConnect;

	private long warnAt;

	/** Number of beacons that were ignored. */
	private long refused;

	private volatile int size;

	/** Number of messages received from all peers. */
	private long receivedTotal;

	/**
	 * Creates an empty set of peers.
	 * @param subscriber socket that connects to the peers
	 * @param connected endpoints to which {@code subscriber} is connected
	 * @param addresses resolver of host names
	 * @param timeoutNanos time without beacons after which an unconnected peer is removed
	 * @param maxConnections maximum number of connections
	 * @param maxQueued maximum number of messages of a peer that wait in the socket
	 * @param security keys of the peers, {@code null} without CURVE
	 * @param now the time in nanoseconds
	 */
	public Peers(ZMQ.Socket subscriber, PeerConnections connected, Addresses addresses, long timeoutNanos,
			int maxConnections, int maxQueued, @Nullable CurveSecurity security, long now) {
		this.connected = connected;
		this.security = security;
		this.subscriber = subscriber;
		this.maxQueued = maxQueued;
		this.addresses = addresses;
		this.timeoutNanos = timeoutNanos;
		this.maxConnections = maxConnections;
		this.candidates = new Candidates(timeoutNanos);
		this.periodEnds = now + RETRY_NANOS;
		this.nextConnect = now;
		this.warnAt = now;
	}

	/**
	 * Returns the number of peers. Safe for any thread.
	 * @return number of peers
	 */
	public int size() {
		return this.size;
	}

	/** Handles a beacon. */
	void heard(Bytes id, String endpoint, long now) {
		if (this.security != null && !this.security.accepts(id)) {
			refuse(endpoint, "its beacon contains no public key of the list of peers",
					"If the node belongs to this network, add its name and public key to the list", now);
			return;
		}
		Peer peer = this.peers.get(id);
		// Towers in different networks may announce different addresses of a node.
		if (peer != null && (peer.endpoint.equals(endpoint) || this.connected.contains(peer.address))) {
			peer.heardAt = now;
		}
		else {
			this.candidates.add(Candidate.of(id, endpoint, now), now);
		}
	}

	/**
	 * Connects to announced peers, as many as the rate allows.
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
		Candidate next = this.candidates.next(now, connectingSlots());
		if (next == null) {
			this.nextConnect = now + CONNECT_INTERVAL_NANOS;
		}
		return next;
	}

	/** Returns the time in nanoseconds until {@link #connect} may have work. */
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
		if (address == null || (before == null && isFull()) || this.connected.size() >= this.maxConnections
				|| this.unstable.contains(address)) {
			refuse(candidate, now);
			return false;
		}
		if (mustWait(address, candidate.host(), now)) {
			// Retried with its next beacon.
			return false;
		}
		if (!acquire(address, candidate.host(), candidate.id())) {
			refuse(candidate, now);
			return false;
		}
		this.peers.put(candidate.id(), new Peer(candidate.endpoint(), address, now));
		if (before != null) {
			release(before.address, candidate.id(), now);
		}
		return true;
	}

	private boolean isFull() {
		return this.peers.size() + this.leaving.size() >= MAX_PEERS;
	}

	private void refuse(Candidate candidate, long now) {
		refuse(candidate.endpoint(),
				"its address is invalid, it lost too many connections, or there are too many peers",
				"Check which program sends beacons to the tower", now);
	}

	private void refuse(String endpoint, String reason, String advice, long now) {
		this.refused++;
		if (now - this.warnAt >= 0) {
			this.warnAt = now + WARNING_NANOS;
			logger.warn("Not connecting to {} because {} (connections: {}, peers: {}). Beacons ignored so far: {}. {}",
					endpoint, reason, this.connected.size(), this.peers.size(), this.refused, advice);
		}
	}

	/**
	 * Removes peers that are not running. Must be called only while a tower is connected.
	 */
	void expire(long now) {
		this.connected.retain(allEndpoints());
		for (Iterator<Map.Entry<Bytes, Peer>> each = this.peers.entrySet().iterator(); each.hasNext();) {
			Map.Entry<Bytes, Peer> entry = each.next();
			Peer peer = entry.getValue();
			boolean lossy = this.connected.losses(peer.address) > MAX_LOSSES;
			if (lossy) {
				this.unstable.add(peer.address);
			}
			if (isExpired(peer, now) || lossy) {
				each.remove();
				release(peer.address, entry.getKey(), now);
			}
			if (lossy) {
				// Dropped messages are requested again.
				dropUnread(peer.address);
			}
		}
		if (now - this.periodEnds >= 0) {
			this.periodEnds = now + RETRY_NANOS;
			this.unstable.clear();
			this.connected.resetLosses();
		}
		this.size = this.peers.size();
	}

	private boolean isExpired(Peer peer, long now) {
		boolean heard = now - peer.heardAt <= this.timeoutNanos;
		if (this.connected.contains(peer.address)) {
			peer.connectedAt = now;
			// Another id at the same address: an earlier run of the node, or a forgery.
			return !heard && this.endpoints.getOrDefault(peer.address, 0) > 1;
		}
		return !heard || now - peer.connectedAt > RETRY_NANOS;
	}

	/**
	 * Disconnects endpoints without peers whose messages were all received. Must be
	 * called directly after a message was received, or when there was none. At other
	 * times the socket may have read the first frame of a message, and the other frames
	 * would never arrive.
	 * @param messages number of messages received since the previous call
	 * @param empty whether every message that has arrived was received
	 */
	void received(int messages, boolean empty) {
		this.receivedTotal += messages;
		int connections = this.endpoints.size() + this.leaving.size();
		// If room for peers is needed, messages may be dropped.
		boolean free = isFull();
		for (Iterator<Map.Entry<String, Leaving>> each = this.leaving.entrySet().iterator(); each.hasNext();) {
			Map.Entry<String, Leaving> left = each.next();
			if (empty || free || isDue(left.getValue(), connections)) {
				free = false;
				each.remove();
				disconnect(left.getKey());
			}
		}
	}

	/** Returns all endpoints that are not disconnected. */
	private Set<String> allEndpoints() {
		Set<String> all = new HashSet<>(this.endpoints.keySet());
		all.addAll(this.leaving.keySet());
		return all;
	}

	/** Returns the slots for connections that are not established yet. */
	private ConnectingSlots connectingSlots() {
		this.connecting.removeIf(this.connected::contains);
		return this.connecting;
	}

	/**
	 * Returns whether a peer must wait, because its endpoint is still to be disconnected,
	 * or because no slot is free. A peer with a host name was resolved without a slot.
	 */
	private boolean mustWait(String endpoint, String host, long now) {
		Leaving left = this.leaving.get(endpoint);
		if (left != null) {
			boolean connected = this.connected.contains(endpoint);
			if (!connected && now - left.since > MAX_RECONNECT_NANOS) {
				// JeroMQ would have reconnected, and a running node repeats dropped
				// messages on request.
				left.atOnce = true;
			}
			return !connected;
		}
		ConnectingSlots slots = connectingSlots();
		return !this.endpoints.containsKey(endpoint) && (slots.isFull() || !slots.hasRoomFor(host));
	}

	/**
	 * Adds a peer to an endpoint, and connects to it if it is the first one.
	 * @param id id from the beacon of the peer
	 * @return whether the endpoint is valid
	 */
	private boolean acquire(String endpoint, String host, Bytes id) {
		if (this.security != null) {
			this.security.add(endpoint, id);
		}
		if (connect(endpoint, host)) {
			return true;
		}
		if (this.security != null) {
			this.security.remove(endpoint, id);
		}
		return false;
	}

	private boolean connect(String endpoint, String host) {
		// A removed peer that is connected again keeps its connection.
		if (!this.endpoints.containsKey(endpoint) && this.leaving.remove(endpoint) == null) {
			try {
				logger.debug("Connecting to {}", endpoint);
				if (!this.subscriber.connect(endpoint)) {
					return false;
				}
				this.connecting.add(endpoint, host);
			}
			catch (ZMQException | IllegalArgumentException ex) {
				logger.debug("Cannot connect to {}", endpoint, ex);
				return false;
			}
		}
		this.endpoints.merge(endpoint, 1, Integer::sum);
		return true;
	}

	/** Removes a peer from an endpoint, which leaves with its last peer. */
	private void release(String endpoint, Bytes id, long now) {
		if (this.security != null) {
			this.security.remove(endpoint, id);
		}
		if (this.endpoints.merge(endpoint, -1, Integer::sum) == 0) {
			this.endpoints.remove(endpoint);
			this.connecting.remove(endpoint);
			if (this.connected.wasConnected(endpoint)) {
				this.leaving.put(endpoint, new Leaving(now, this.receivedTotal));
			}
			else {
				disconnect(endpoint);
			}
		}
	}

	/** Disconnects an endpoint without peers soon, even if messages are unread. */
	private void dropUnread(String endpoint) {
		Leaving left = this.leaving.get(endpoint);
		if (left != null) {
			left.atOnce = true;
		}
	}

	/** The socket takes turns: each round returns one message of each peer. */
	private boolean isDue(Leaving left, int connections) {
		// Twice, since the order of the turns may change.
		return left.atOnce || this.receivedTotal - left.receivedBefore > 2L * this.maxQueued * connections;
	}

	private void disconnect(String endpoint) {
		logger.debug("Disconnecting from {}", endpoint);
		this.subscriber.disconnect(endpoint);
		this.connected.remove(endpoint);
	}

	private static final class Peer {

		/** Endpoint from the beacon. */
		private final String endpoint;

		/** Resolved endpoint. */
		private final String address;

		private long heardAt;

		/** Time when it was last seen connected, or when connecting began. */
		private long connectedAt;

		Peer(String endpoint, String address, long now) {
			this.endpoint = endpoint;
			this.address = address;
			this.heardAt = now;
			this.connectedAt = now;
		}

	}

	/** State of an endpoint that has no peers. */
	private static final class Leaving {

		/** Time when its last peer was removed. */
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

}
