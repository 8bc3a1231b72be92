package io.statestore.dafka.node.internal;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Other nodes announced by the towers, and the connections to them. A peer is removed
 * when neither beacons nor a connection show that it is running. Peers are removed only
 * while a tower is connected, because without a tower there are no beacons.
 * <p>
 * Any program can send beacons with any address. Therefore, this class limits the rate of
 * new connections and the number of unfinished connections, in total and per host.
 * Addresses announced twice have priority. Not thread-safe, except for {@link #size}.
 */
final class Peers {

	private static final Logger logger = LoggerFactory.getLogger(Peers.class);

	private static final int MAX_PEERS = 10_000;

	private static final long CONNECT_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1) / 100;

	/** Maximum number of connections made in immediate succession after a pause. */
	private static final int BURST = 20;

	/**
	 * How long to try to connect to a peer before starting over, because its host name
	 * may have a new address.
	 */
	private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final @Nullable CurveSecurity security;

	private final Candidates candidates;

	private final long timeoutNanos;

	private final int maxConnections;

	private final Map<Bytes, Peer> peers = new ConcurrentHashMap<>();

	private final Subscriber subscriber;

	/** Number of peers that announce each endpoint. */
	private final Map<String, Integer> endpoints = new HashMap<>();

	private final ConnectingSlots connecting = new ConnectingSlots();

	private long nextConnect;

	private long warnAt;

	/** Number of ignored beacons. */
	private long refused;

	/**
	 * Creates an empty set of peers.
	 * @param subscriber socket that connects to the peers
	 * @param timeoutNanos how long an unconnected peer is kept without receiving its
	 * beacons
	 * @param maxConnections maximum number of connections
	 * @param security keys of the peers, {@code null} without CURVE
	 * @param now current time in nanoseconds
	 */
	Peers(Subscriber subscriber, long timeoutNanos, int maxConnections, @Nullable CurveSecurity security, long now) {
		this.security = security;
		this.subscriber = subscriber;
		this.timeoutNanos = timeoutNanos;
		this.maxConnections = maxConnections;
		this.candidates = new Candidates(timeoutNanos);
		this.nextConnect = now;
		this.warnAt = now;
	}

	/**
	 * Returns the number of peers. Safe for any thread.
	 * @return number of known nodes, connected or not
	 */
	public int size() {
		return this.peers.size();
	}

	/** Handles a beacon relayed by a tower. */
	void heard(Bytes id, String endpoint, long now) {
		if (this.security != null && !this.security.accepts(id)) {
			refuse(endpoint, "its beacon contains no public key of the list of peers",
					"If the node belongs to this network, add its name and public key to the list", now);
			return;
		}
		Peer peer = this.peers.get(id);
		// Towers in different networks may announce different addresses for the same
		// node.
		if (peer != null && (peer.endpoint.equals(endpoint) || this.subscriber.isConnected(peer.endpoint))) {
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
		while (!this.candidates.isEmpty() && this.nextConnect - now <= 0) {
			this.connecting.removeIf(this.subscriber::isConnected);
			Candidate candidate = this.candidates.next(now, this.connecting);
			if (candidate == null) {
				this.nextConnect = now + CONNECT_INTERVAL_NANOS;
				break;
			}
			this.nextConnect += CONNECT_INTERVAL_NANOS;
			added |= add(candidate, now);
		}
		return added;
	}

	/** Returns the time in nanoseconds until {@link #connect} may have work. */
	long untilConnect() {
		return this.candidates.isEmpty() ? Long.MAX_VALUE : CONNECT_INTERVAL_NANOS;
	}

	private boolean add(Candidate candidate, long now) {
		Peer before = this.peers.get(candidate.id());
		if (before != null && this.subscriber.isConnected(before.endpoint)) {
			return false;
		}
		if ((before == null && this.peers.size() >= MAX_PEERS) || this.subscriber.endpoints() >= this.maxConnections) {
			refuse(candidate.endpoint(), "there are too many peers", "Check which program sends beacons to the tower",
					now);
			return false;
		}
		acquire(candidate);
		this.peers.put(candidate.id(), new Peer(candidate.endpoint(), now));
		if (before != null) {
			release(before.endpoint, candidate.id());
		}
		return true;
	}

	private void refuse(String endpoint, String reason, String advice, long now) {
		this.refused++;
		if (now - this.warnAt >= 0) {
			this.warnAt = now + WARNING_NANOS;
			logger.warn("Not connecting to {} because {} (connections: {}, peers: {}). Beacons ignored so far: {}. {}",
					endpoint, reason, this.subscriber.endpoints(), this.peers.size(), this.refused, advice);
		}
	}

	/**
	 * Removes peers that are not running. Must be called only while a tower is connected.
	 */
	void expire(long now) {
		for (Iterator<Map.Entry<Bytes, Peer>> each = this.peers.entrySet().iterator(); each.hasNext();) {
			Map.Entry<Bytes, Peer> entry = each.next();
			if (isExpired(entry.getValue(), now)) {
				each.remove();
				release(entry.getValue().endpoint, entry.getKey());
			}
		}
	}

	private boolean isExpired(Peer peer, long now) {
		boolean heard = now - peer.heardAt <= this.timeoutNanos;
		if (this.subscriber.isConnected(peer.endpoint)) {
			peer.connectedAt = now;
			// If another ID has the same endpoint, this ID is from an earlier run of the
			// node or forged.
			return !heard && this.endpoints.getOrDefault(peer.endpoint, 0) > 1;
		}
		return !heard || now - peer.connectedAt > RETRY_NANOS;
	}

	/** Adds a peer to its endpoint. Connects to the endpoint if the peer is its first. */
	private void acquire(Candidate candidate) {
		String endpoint = candidate.endpoint();
		if (this.security != null) {
			this.security.add(endpoint, candidate.id());
		}
		if (this.endpoints.merge(endpoint, 1, Integer::sum) == 1) {
			logger.debug("Connecting to {}", endpoint);
			this.connecting.add(endpoint, candidate.host());
			this.subscriber.connect(endpoint);
		}
	}

	/**
	 * Removes a peer from an endpoint. Disconnects from the endpoint if no peer is left.
	 */
	private void release(String endpoint, Bytes id) {
		if (this.security != null) {
			this.security.remove(endpoint, id);
		}
		if (this.endpoints.merge(endpoint, -1, Integer::sum) == 0) {
			logger.debug("Disconnecting from {}", endpoint);
			this.endpoints.remove(endpoint);
			this.connecting.remove(endpoint);
			this.subscriber.disconnect(endpoint);
		}
	}

	private static final class Peer {

		private final String endpoint;

		private long heardAt;

		/** Time when the peer was last seen connected or when connecting began. */
		private long connectedAt;

		Peer(String endpoint, long now) {
			this.endpoint = endpoint;
			this.heardAt = now;
			this.connectedAt = now;
		}

	}

}
