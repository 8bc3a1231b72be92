package io.statestore.dafka.node;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.dafka.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.ZEvent;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import org.zeromq.ZMonitor;

/**
 * Whom a node hears of through the towers, and to whom it is connected. A peer is
 * forgotten when neither its beacons nor its connection are there, and only while a tower
 * is heard: without a tower nobody's beacons arrive, which tells nothing about them.
 */
final class Peers {

	private static final Logger logger = LoggerFactory.getLogger(Peers.class);

	private static final int MAX_PEERS = 10_000;

	private final ZMQ.Socket subscriber;

	private final long timeoutNanos;

	private final Map<Bytes, Peer> peers = new HashMap<>();

	/** Told by the network threads. */
	private final Set<String> connected = ConcurrentHashMap.newKeySet();

	private volatile int size;

	Peers(ZMQ.Socket subscriber, long timeoutNanos) {
		this.subscriber = subscriber;
		this.timeoutNanos = timeoutNanos;
		subscriber.setEventHook(this::connectionChanged, ZMQ.EVENT_CONNECTED | ZMQ.EVENT_DISCONNECTED);
	}

	private void connectionChanged(ZEvent event) {
		if (event.getEvent() == ZMonitor.Event.CONNECTED) {
			this.connected.add(event.getAddress());
		}
		else {
			this.connected.remove(event.getAddress());
		}
	}

	int size() {
		return this.size;
	}

	/**
	 * A beacon arrived.
	 * @return whether it is of a peer not known before
	 */
	boolean heard(Bytes id, String endpoint, long now) {
		Peer peer = this.peers.get(id);
		// Towers in different networks may tell different addresses of the same node.
		if (peer != null && (peer.endpoint.equals(endpoint) || hasConnection(peer.endpoint))) {
			peer.heardAt = now;
			return false;
		}
		if (peer == null && this.peers.size() >= MAX_PEERS) {
			return false;
		}
		if (!isConnectedTo(endpoint) && !connect(endpoint)) {
			return false;
		}
		this.peers.put(id, new Peer(endpoint, now));
		if (peer != null) {
			disconnect(peer.endpoint);
		}
		this.size = this.peers.size();
		return true;
	}

	/** Forgets those who are gone. To be called only while a tower is heard. */
	void expire(long now) {
		for (Iterator<Peer> each = this.peers.values().iterator(); each.hasNext();) {
			Peer peer = each.next();
			if (now - peer.heardAt > this.timeoutNanos && !hasConnection(peer.endpoint)) {
				each.remove();
				disconnect(peer.endpoint);
			}
		}
		this.size = this.peers.size();
	}

	private boolean connect(String endpoint) {
		try {
			logger.debug("Connecting to {}", endpoint);
			return this.subscriber.connect(endpoint);
		}
		catch (ZMQException | IllegalArgumentException ex) {
			logger.warn("A beacon tells an address that cannot be connected to: {}", ex.toString());
			return false;
		}
	}

	private void disconnect(String endpoint) {
		if (!isConnectedTo(endpoint)) {
			logger.debug("Disconnecting from {}", endpoint);
			this.subscriber.disconnect(endpoint);
			this.connected.remove(endpoint);
		}
	}

	private boolean isConnectedTo(String endpoint) {
		return this.peers.values().stream().anyMatch((peer) -> peer.endpoint.equals(endpoint));
	}

	/** Connections are known by resolved addresses, beacons may carry names. */
	private boolean hasConnection(String endpoint) {
		String host = endpoint.substring(endpoint.lastIndexOf('/') + 1, endpoint.lastIndexOf(':'));
		if (host.chars().noneMatch(Character::isLetter) || host.startsWith("[")) {
			return this.connected.contains(endpoint);
		}
		String port = endpoint.substring(endpoint.lastIndexOf(':'));
		return this.connected.stream().anyMatch((address) -> address.endsWith(port));
	}

	private static final class Peer {

		private final String endpoint;

		private long heardAt;

		Peer(String endpoint, long heardAt) {
			this.endpoint = endpoint;
			this.heardAt = heardAt;
		}

	}

}
