package io.statestore.dafka.node;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.zeromq.ZEvent;
import org.zeromq.ZMonitor;

/**
 * The endpoints to which the subscriber of a node is connected. Written by the I/O
 * thread, read by the thread of the node.
 */
final class PeerConnections {

	private final Set<String> endpoints = ConcurrentHashMap.newKeySet();

	/** Handles a connection event. */
	void changed(ZEvent event) {
		if (event.getEvent() == ZMonitor.Event.CONNECTED) {
			this.endpoints.add(event.getAddress());
		}
		else if (event.getEvent() == ZMonitor.Event.DISCONNECTED) {
			this.endpoints.remove(event.getAddress());
		}
	}

	boolean contains(String endpoint) {
		return this.endpoints.contains(endpoint);
	}

	int size() {
		return this.endpoints.size();
	}

	/** Removes all others, which were disconnected while they connected. */
	void retain(Set<String> endpoints) {
		this.endpoints.retainAll(endpoints);
	}

	void remove(String endpoint) {
		this.endpoints.remove(endpoint);
	}

}
