package io.statestore.dafka.reading.internal;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

import io.statestore.dafka.Bytes;

/**
 * Connected nodes that subscribe to the answers to their requests. Other nodes would not
 * receive an answer. Not thread-safe. Internal: not part of the API.
 */
public final class Subscribers {

	private static final int MAX = 10_000;

	private final Predicate<byte[]> kind;

	private final Set<Bytes> names = new HashSet<>();

	/** Whether there were too many names. In this case, every name is contained. */
	private boolean overflowed;

	/**
	 * Creates an empty set.
	 * @param kind accepts subscriptions to answers
	 */
	public Subscribers(Predicate<byte[]> kind) {
		this.kind = kind;
	}

	/**
	 * Adds the subscriber if it subscribes to answers.
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
	 * Removes the subscriber if it was subscribed to answers.
	 * @param prefix the subscription that ended
	 */
	public void unsubscribed(byte[] prefix) {
		if (this.kind.test(prefix)) {
			this.names.remove(Subscriptions.name(prefix));
		}
	}

	/**
	 * Returns whether no node is subscribed to answers.
	 * @return whether this set is empty
	 */
	public boolean isEmpty() {
		return this.names.isEmpty() && !this.overflowed;
	}

	/**
	 * Returns whether a node is subscribed to answers.
	 * @param name the address of the node
	 * @return whether it is subscribed; {@code true} if that is unknown
	 */
	public boolean contains(Bytes name) {
		return this.overflowed || this.names.contains(name);
	}

}
