package io.statestore.dafka.node;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What one kind of node does with what it receives. Called by the node's thread only;
 * must not block.
 */
public interface Machine {

	/** What to subscribe to on every peer, from the start. */
	List<byte[]> subscriptions();

	/**
	 * A message arrived.
	 * @return whether it was well-formed; what was not is counted by the node
	 */
	boolean received(byte[] header, byte @Nullable [] content, long now);

	/** A peer subscribed to something. */
	void subscribed(byte[] prefix, long now);

	/**
	 * Called when the last peer with a subscription ended it or left.
	 * @param prefix the subscription
	 */
	default void unsubscribed(byte[] prefix) {
	}

	/**
	 * Returns whether to leave messages unread, so that their senders slow down. Asked
	 * before each message.
	 */
	default boolean isFull() {
		return false;
	}

	/**
	 * Does what is due and waits in queues, after all that arrived was given to
	 * {@link #received}.
	 * @return the time at which to come again if nothing happens before, {@code now} for
	 * at once
	 */
	long work(long now);

	/** Called before the thread ends. No message can be sent. */
	void closed();

}
