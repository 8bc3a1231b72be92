package io.statestore.dafka.node.internal;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Tracks endpoints whose connections are not established yet. Limits their number, in
 * total and per host. Not thread-safe.
 */
final class ConnectingSlots {

	private static final int MAX = 64;

	private static final int MAX_OF_HOST = MAX / 4;

	/** Maximum number of slots for nodes announced only once. */
	private static final int MAX_OF_NEW = MAX / 2;

	/** Host of each endpoint. */
	private final Map<String, String> hosts = new HashMap<>();

	void add(String endpoint, String host) {
		this.hosts.put(endpoint, host);
	}

	void remove(String endpoint) {
		this.hosts.remove(endpoint);
	}

	/** Removes the endpoints that are now connected. */
	void removeIf(Predicate<String> connected) {
		this.hosts.keySet().removeIf(connected);
	}

	boolean isFull() {
		return this.hosts.size() >= MAX;
	}

	/** Returns whether there is a slot for a node announced only once. */
	boolean hasRoomForNew() {
		return this.hosts.size() < MAX_OF_NEW;
	}

	boolean hasRoomFor(String host) {
		return Collections.frequency(this.hosts.values(), host) < MAX_OF_HOST;
	}

}
