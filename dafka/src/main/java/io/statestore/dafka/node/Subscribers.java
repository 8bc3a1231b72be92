package io.statestore.dafka.node;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.wire.Subscriptions;

/**
 * The nodes that are connected and subscribed to what they request. Answers to other
 * recipients would be read in vain. For one thread.
 */
public final class Subscribers {

	private static final int MAX = 10_000;

	private final Predicate<byte[]> kind;

	private final Set<Bytes> names = new HashSet<>();

	/** Whether there were more than can be remembered, so that every name counts. */
	private boolean overflowed;

	/**
	 * Creates an empty set.
	 * @param kind accepts the subscriptions to answers
	 */
	public Subscribers(Predicate<byte[]> kind) {
		this.kind = kind;
	}

	/**
	 * Adds the subscriber if the subscription is one to answers.
	 * @param prefix the subscription
	 */
	public void subscribed(byte[] prefix) {
		if (this.kind.test(prefix)) {
			this.overflowed = this.overflowed || this.names.size() >= MAX;
			if (!this.overflowed) {
				this.names.add(Subscriptions.name(prefix));
			}
		}
	}

	/**
	 * Removes the subscriber if the subscription was one to answers.
	 * @param prefix the subscription that ended
	 */
	public void unsubscribed(byte[] prefix) {
		if (this.kind.test(prefix)) {
			this.names.remove(Subscriptions.name(prefix));
		}
	}

	/** Returns whether no node is subscribed. */
	public boolean isEmpty() {
		return this.names.isEmpty() && !this.overflowed;
	}

	/**
	 * Returns whether a node is subscribed, or may be.
	 * @param name the address of the node
	 */
	public boolean contains(Bytes name) {
		return this.overflowed || this.names.contains(name);
	}

}
