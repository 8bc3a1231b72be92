package io.statestore.dafka.node;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.zeromq.ZEvent;
import org.zeromq.ZMonitor;

/**
 * Endpoints to which sockets of a node are connected. Written by the I/O thread, read by
 * the thread of the node.
 */
final class PeerConnections {

	private final Set<String> endpoints = ConcurrentHashMap.newKeySet();

	/** Endpoints that were connected at some time, so that messages may be unread. */
	private final Set<String> used = ConcurrentHashMap.newKeySet();

	private final Map<String, Integer> losses = new ConcurrentHashMap<>();

	/** Handles a connection event. */
	void changed(ZEvent event) {
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
	void forgetLosses() {
		this.losses.clear();
	}

	boolean contains(String endpoint) {
		return this.endpoints.contains(endpoint);
	}

	int size() {
		return this.endpoints.size();
	}

	/** Returns whether an endpoint was connected since it was added or removed. */
	boolean wasConnected(String endpoint) {
		return this.used.contains(endpoint);
	}

	/** Removes all others, which were disconnected while they connected. */
	void retain(Set<String> endpoints) {
		this.endpoints.retainAll(endpoints);
		this.used.retainAll(endpoints);
	}

	void remove(String endpoint) {
		this.endpoints.remove(endpoint);
		this.used.remove(endpoint);
	}

}
