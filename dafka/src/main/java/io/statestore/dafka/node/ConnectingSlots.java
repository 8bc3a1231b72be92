package io.statestore.dafka.node;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The endpoints to which connecting is under way. Each host may have some of the slots,
 * so that the others are free for other hosts. For the thread of the node.
 */
final class ConnectingSlots {

	private static final int MAX = 64;

	private static final int MAX_OF_HOST = MAX / 4;

	/** Slots that nodes may have after their first beacon. */
	private static final int MAX_OF_NEW = MAX / 2;

	/** Host of each endpoint. */
	private final Map<String, String> hosts = new HashMap<>();

	void add(String endpoint, String host) {
		this.hosts.put(endpoint, host);
	}

	void remove(String endpoint) {
		this.hosts.remove(endpoint);
	}

	/** Removes the endpoints to which connecting has succeeded. */
	void removeIf(Predicate<String> connected) {
		this.hosts.keySet().removeIf(connected);
	}

	boolean isFull() {
		return this.hosts.size() >= MAX;
	}

	/** Returns whether a node that was heard only once may have a slot. */
	boolean hasRoomForNew() {
		return this.hosts.size() < MAX_OF_NEW;
	}

	boolean hasRoomFor(String host) {
		return Collections.frequency(this.hosts.values(), host) < MAX_OF_HOST;
	}

}
