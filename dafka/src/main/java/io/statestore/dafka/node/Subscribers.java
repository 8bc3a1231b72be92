package io.statestore.dafka.store;

import java.util.HashSet;
import java.util.Set;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.wire.Subscriptions;

/**
 * The nodes that are connected and subscribed to what they fetch. Records for other
 * recipients would be read in vain. For one thread.
 */
final class Subscribers {

	private static final int MAX = 10_000;

	private final Set<Bytes> names = new HashSet<>();

	/** Whether there were more than can be remembered, so that every name counts. */
	private boolean overflowed;

	void subscribed(byte[] prefix) {
		if (Subscriptions.isDirectRecords(prefix)) {
			this.overflowed = this.overflowed || this.names.size() >= MAX;
			if (!this.overflowed) {
				this.names.add(Subscriptions.name(prefix));
			}
		}
	}

	void unsubscribed(byte[] prefix) {
		if (Subscriptions.isDirectRecords(prefix)) {
			this.names.remove(Subscriptions.name(prefix));
		}
	}

	boolean contains(Bytes name) {
		return this.overflowed || this.names.contains(name);
	}

}
