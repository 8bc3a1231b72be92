package io.statestore.broker.artemis.session;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Packet identifiers of received QoS 2 messages of sessions that could not be written, by
 * client id in Artemis. They are written with their session. Thread-safe.
 */
final class UnwrittenIds {

	private final Map<String, Set<Integer>> ids = new ConcurrentHashMap<>();

	void add(String clientId, int packetId) {
		this.ids.compute(clientId, (id, known) -> {
			Set<Integer> packetIds = (known != null) ? known : ConcurrentHashMap.newKeySet();
			packetIds.add(packetId);
			return packetIds;
		});
	}

	void remove(String clientId, int packetId) {
		this.ids.computeIfPresent(clientId, (id, packetIds) -> {
			packetIds.remove(packetId);
			return packetIds.isEmpty() ? null : packetIds;
		});
	}

	/** Removes all identifiers of a session that has ended. */
	void removeAll(String clientId) {
		this.ids.remove(clientId);
	}

	/** Returns the identifiers of a session. */
	Set<Integer> of(String clientId) {
		return this.ids.getOrDefault(clientId, Set.of());
	}

	/** Removes the identifiers of all but the given sessions. */
	void retain(Set<String> clientIds) {
		this.ids.keySet().retainAll(clientIds);
	}

}
