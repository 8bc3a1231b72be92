package io.statestore.client.mqtt.integration;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;

/**
 * Acknowledges the messages of one connection in the order of arrival (MQTT 5 section
 * 4.6). Flows may complete them in any order. Thread-safe.
 */
final class AdapterAcknowledgments {

	private final ReentrantLock lock = new ReentrantLock();

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
	void arrived(int id, int packetId) {
		this.lock.lock();
		try {
			this.pending.put(id, new Pending(packetId));
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Sets the number of completions that a message requires. */
	void require(int id, int completions) {
		this.lock.lock();
		try {
			Pending message = this.pending.get(id);
			if (message != null) {
				message.missing = completions;
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Completes a message once. Ignores one whose connection has ended. */
	void complete(int id) {
		this.lock.lock();
		try {
			Pending completed = this.pending.get(id);
			if (completed != null) {
				completed.missing--;
				acknowledgeFirst();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Acknowledges the oldest messages up to the first incomplete one. */
	private void acknowledgeFirst() {
		Iterator<Pending> messages = this.pending.values().iterator();
		while (messages.hasNext()) {
			Pending message = messages.next();
			if (message.missing > 0) {
				return;
			}
			messages.remove();
			this.acknowledge.accept(message.packetId);
		}
	}

	/** Removes all messages, because the connection has ended. */
	void close() {
		this.lock.lock();
		try {
			this.pending.clear();
		}
		finally {
			this.lock.unlock();
		}
	}

	private static final class Pending {

		private final int packetId;

		/** Completions that are still missing. */
		private int missing = 1;

		Pending(int packetId) {
			this.packetId = packetId;
		}

	}

}
