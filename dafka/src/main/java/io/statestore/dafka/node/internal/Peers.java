package io.statestore.dafka.node.internal;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.ZMQ;

/**
 * Other nodes that the towers announce, and the connections to them. A peer is removed
 * when neither beacons nor a connection show that it is running. This applies only while
 * a tower is connected, because without a tower there are no beacons.
 * <p>
 * Any program can send beacons with any address. Therefore the rate of new connections is
 * limited, and so is the number of unfinished ones, in total and for each host. Addresses
 * that were announced twice have priority. Not thread-safe, except for {@link #size}.
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

	private final PeerConnections connected;

	private final @Nullable CurveSecurity security;

	private final PeerEndpoints endpoints;

	private final Candidates candidates;

	private final Addresses addresses;

	private final long timeoutNanos;

	private final int maxConnections;

	private final Map<Bytes, Peer> peers = new HashMap<>();

	/** Endpoints that lost too many connections in this period. */
	private final Set<String> unstable = new HashSet<>();

	private long periodEnds;

	private long nextConnect;

	private long warnAt;

	/** Number of beacons that were ignored. */
	private long refused;

	private volatile int size;

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
		this.endpoints = new PeerEndpoints(subscriber, connected, maxQueued, security);
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
		Candidate next = this.candidates.next(now, this.endpoints.connecting());
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
		if (this.endpoints.mustWait(address, candidate.host(), now)) {
			// Retried with its next beacon.
			return false;
		}
		if (!this.endpoints.acquire(address, candidate.host(), candidate.id())) {
			refuse(candidate, now);
			return false;
		}
		this.peers.put(candidate.id(), new Peer(candidate.endpoint(), address, now));
		if (before != null) {
			this.endpoints.release(before.address, candidate.id(), now);
		}
		return true;
	}

	private boolean isFull() {
		return this.peers.size() + this.endpoints.leaving() >= MAX_PEERS;
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
		this.connected.retain(this.endpoints.all());
		for (Iterator<Map.Entry<Bytes, Peer>> each = this.peers.entrySet().iterator(); each.hasNext();) {
			Map.Entry<Bytes, Peer> entry = each.next();
			Peer peer = entry.getValue();
			boolean lossy = this.connected.losses(peer.address) > MAX_LOSSES;
			if (lossy) {
				this.unstable.add(peer.address);
			}
			if (isExpired(peer, now) || lossy) {
				each.remove();
				this.endpoints.release(peer.address, entry.getKey(), now);
			}
			if (lossy) {
				// Dropped messages are requested again.
				this.endpoints.dropUnread(peer.address);
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
			return !heard && this.endpoints.isShared(peer.address);
		}
		return !heard || now - peer.connectedAt > RETRY_NANOS;
	}

	/**
	 * Disconnects from removed peers, as {@link PeerEndpoints#received} describes.
	 * @param messages number of messages received since the previous call
	 * @param empty whether every message that has arrived was received
	 */
	public void received(int messages, boolean empty) {
		this.endpoints.received(messages, empty, isFull());
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

}
