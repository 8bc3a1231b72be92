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
 * Endpoints to which the subscriber of a node connects, each with the number of peers
 * that announce it. An endpoint without peers is disconnected only after its messages
 * were received, because disconnecting drops unread messages. Not thread-safe.
 */
final class PeerEndpoints {

	private static final Logger logger = LoggerFactory.getLogger(PeerEndpoints.class);

	/**
	 * Time after which a lost connection of a removed peer is disconnected, even if
	 * messages are unread.
	 */
	private static final long MAX_RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(10);

	private final ZMQ.Socket subscriber;

	private final PeerConnections connected;

	/** Maximum number of messages of a peer that wait in the socket. */
	private final int maxQueued;

	/** Keys of the peers, {@code null} without CURVE. */
	private final @Nullable CurveSecurity security;

	/** Number of peers by endpoint. */
	private final Map<String, Integer> peers = new HashMap<>();

	/** Endpoints without peers, whose messages may be unread, oldest first. */
	private final Map<String, Leaving> leaving = new LinkedHashMap<>();

	private final ConnectingSlots connecting = new ConnectingSlots();

	/** Number of messages received from all peers. */
	private long received;

	PeerEndpoints(ZMQ.Socket subscriber, PeerConnections connected, int maxQueued, @Nullable CurveSecurity security) {
		this.security = security;
		this.subscriber = subscriber;
		this.connected = connected;
		this.maxQueued = maxQueued;
	}

	/**
	 * Returns the number of endpoints without peers that are still to be disconnected.
	 */
	int leaving() {
		return this.leaving.size();
	}

	/** Returns all endpoints that are not disconnected. */
	Set<String> all() {
		Set<String> all = new HashSet<>(this.peers.keySet());
		all.addAll(this.leaving.keySet());
		return all;
	}

	/** Returns whether several peers announce an endpoint. */
	boolean isShared(String endpoint) {
		return this.peers.getOrDefault(endpoint, 0) > 1;
	}

	/** Returns the slots for connections that are not established yet. */
	ConnectingSlots connecting() {
		this.connecting.removeIf(this.connected::contains);
		return this.connecting;
	}

	/**
	 * Returns whether a peer must wait, because its endpoint is still to be disconnected,
	 * or because no slot is free. A peer with a host name was resolved without a slot.
	 */
	boolean mustWait(String endpoint, String host, long now) {
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
		ConnectingSlots slots = connecting();
		return !this.peers.containsKey(endpoint) && (slots.isFull() || !slots.hasRoomFor(host));
	}

	/**
	 * Adds a peer to an endpoint, and connects to it if it is the first one.
	 * @param id id from the beacon of the peer
	 * @return whether the endpoint is valid
	 */
	boolean acquire(String endpoint, String host, Bytes id) {
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
		if (!this.peers.containsKey(endpoint) && this.leaving.remove(endpoint) == null) {
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
		this.peers.merge(endpoint, 1, Integer::sum);
		return true;
	}

	/** Removes a peer from an endpoint, which leaves with its last peer. */
	void release(String endpoint, Bytes id, long now) {
		if (this.security != null) {
			this.security.remove(endpoint, id);
		}
		if (this.peers.merge(endpoint, -1, Integer::sum) == 0) {
			this.peers.remove(endpoint);
			this.connecting.remove(endpoint);
			if (this.connected.wasConnected(endpoint)) {
				this.leaving.put(endpoint, new Leaving(now, this.received));
			}
			else {
				disconnect(endpoint);
			}
		}
	}

	/** Disconnects an endpoint without peers soon, even if messages are unread. */
	void dropUnread(String endpoint) {
		Leaving left = this.leaving.get(endpoint);
		if (left != null) {
			left.atOnce = true;
		}
	}

	/**
	 * Disconnects endpoints without peers whose messages were all received. Must be
	 * called directly after a message was received, or when there was none. At other
	 * times the socket may have read the first frame of a message, and the other frames
	 * would never arrive.
	 * @param messages number of messages received since the previous call
	 * @param empty whether every message that has arrived was received
	 * @param full whether room for peers is needed, even if messages are dropped
	 */
	void received(int messages, boolean empty, boolean full) {
		this.received += messages;
		int connections = this.peers.size() + this.leaving.size();
		boolean free = full;
		for (Iterator<Map.Entry<String, Leaving>> each = this.leaving.entrySet().iterator(); each.hasNext();) {
			Map.Entry<String, Leaving> left = each.next();
			if (empty || free || isDue(left.getValue(), connections)) {
				free = false;
				each.remove();
				disconnect(left.getKey());
			}
		}
	}

	/** The socket takes turns: each round returns one message of each peer. */
	private boolean isDue(Leaving left, int connections) {
		// Twice, since the order of the turns may change.
		return left.atOnce || this.received - left.receivedBefore > 2L * this.maxQueued * connections;
	}

	private void disconnect(String endpoint) {
		logger.debug("Disconnecting from {}", endpoint);
		this.subscriber.disconnect(endpoint);
		this.connected.remove(endpoint);
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
