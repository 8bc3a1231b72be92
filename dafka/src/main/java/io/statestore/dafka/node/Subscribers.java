package io.statestore.dafka.node;

import java.util.HashSet;
import java.util.Set;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.wire.Subscriptions;

/**
 * The nodes that are connected and subscribed to what they fetch. Requests of other nodes
 * need not be served. For one thread.
 */
public final class Subscribers {

	private static final int MAX = 10_000;

	private final Set<Bytes> names = new HashSet<>();

	/** Whether there were more than can be remembered, so that every name counts. */
	private boolean overflowed;

	/**
	 * Adds the node that subscribed, if it is a subscription to what a node fetches.
	 * @param prefix the subscription
	 */
	public void subscribed(byte[] prefix) {
		if (Subscriptions.isDirectRecords(prefix)) {
			this.overflowed = this.overflowed || this.names.size() >= MAX;
			if (!this.overflowed) {
				this.names.add(Subscriptions.name(prefix));
			}
		}
	}

	/**
	 * Removes the node that ended its subscription or left.
	 * @param prefix the subscription
	 */
	public void unsubscribed(byte[] prefix) {
		if (Subscriptions.isDirectRecords(prefix)) {
			this.names.remove(Subscriptions.name(prefix));
		}
	}

	/**
	 * Returns whether a node is connected and subscribed to what it fetches.
	 * @param name address of the node
	 * @return whether it is, always {@code true} after there were too many to remember
	 */
	public boolean contains(Bytes name) {
		return this.overflowed || this.names.contains(name);
	}

}
