package io.statestore.dafka.node.internal;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.zeromq.ZEvent;
import org.zeromq.ZMonitor;

/**
 * Endpoints to which sockets of a node are connected. Updated by the I/O thread, read by
 * the thread of the node.
 */
final class PeerConnections {

	private final Set<String> endpoints = ConcurrentHashMap.newKeySet();

	/** Endpoints that have been connected, so that messages may be unread. */
	private final Set<String> used = ConcurrentHashMap.newKeySet();

	/** Number of lost connections by endpoint. */
	private final Map<String, Integer> losses = new ConcurrentHashMap<>();

	/**
	 * Handles a connection event.
	 * @param event the event
	 */
	public void changed(ZEvent event) {
		if (event.getEvent() == ZMonitor.Event.CONNECTED) {
			this.used.add(event.getAddress());
			this.endpoints.add(event.getAddress());
		}
		else if (event.getEvent() == ZMonitor.Event.DISCONNECTED) {
			this.endpoints.remove(event.getAddress());
			this.losses.merge(event.getAddress(), 1, Integer::sum);
		}
	}

	/** Returns the number of connections to an endpoint that were lost recently. */
	int losses(String endpoint) {
		return this.losses.getOrDefault(endpoint, 0);
	}

	/** Resets the numbers of lost connections. */
	void resetLosses() {
		this.losses.clear();
	}

	boolean contains(String endpoint) {
		return this.endpoints.contains(endpoint);
	}

	int size() {
		return this.endpoints.size();
	}

	/** Returns whether an endpoint has been connected since it was last removed. */
	boolean wasConnected(String endpoint) {
		return this.used.contains(endpoint);
	}

	/**
	 * Removes all other endpoints, which were disconnected before their connection was
	 * established.
	 */
	void retain(Set<String> endpoints) {
		this.endpoints.retainAll(endpoints);
		this.used.retainAll(endpoints);
	}

	/** Removes an endpoint that was disconnected. */
	void remove(String endpoint) {
		this.endpoints.remove(endpoint);
		this.used.remove(endpoint);
	}

}
