package io.statestore.client.mqtt.integration;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Acknowledges the messages of one connection in the order of arrival (MQTT 5 section
 * 4.6). Flows may complete them in any order. Thread-safe.
 */
final class AdapterAcknowledgments {

	/** Messages without acknowledgment, in order of arrival. */
	private final Map<Integer, Pending> pending = new LinkedHashMap<>();

	private final IntConsumer acknowledge;

	/**
	 * @param acknowledge sends the PUBACK for a packet id; must not block
	 */
	AdapterAcknowledgments(IntConsumer acknowledge) {
		this.acknowledge = acknowledge;
	}

	/** Adds a message, which one completion acknowledges. */
	synchronized void arrived(int id, int packetId) {
		this.pending.put(id, new Pending(packetId, 1));
	}

	/** Sets the number of completions that a message requires. */
	synchronized void require(int id, int completions) {
		this.pending.computeIfPresent(id, (key, message) -> new Pending(message.packetId, completions));
	}

	/** Completes a message once. Ignores one whose connection has ended. */
	synchronized void complete(int id) {
		this.pending.computeIfPresent(id, (key, message) -> new Pending(message.packetId, message.missing - 1));
		Iterator<Pending> oldest = this.pending.values().iterator();
		while (oldest.hasNext()) {
			Pending message = oldest.next();
			if (message.missing > 0) {
				return;
			}
			oldest.remove();
			this.acknowledge.accept(message.packetId);
		}
	}

	/** Removes all messages, because the connection has ended. */
	synchronized void close() {
		this.pending.clear();
	}

	/**
	 * A message without acknowledgment.
	 *
	 * @param missing completions that are still missing
	 */
	private record Pending(int packetId, int missing) {
	}

}
