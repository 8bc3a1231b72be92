package io.statestore.dafka.reading.internal;

import io.statestore.dafka.Bytes;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Behavior of one kind of node: producer, consumer, or store. Called by the node's
 * thread; must not block. Times are in nanoseconds. Internal: not part of the API.
 */
public interface Machine {

	/**
	 * Returns the initial subscriptions to all peers.
	 * @return the prefixes to subscribe to
	 */
	List<byte[]> subscriptions();

	/**
	 * Handles a message.
	 * @param header first frame
	 * @param content second frame, or {@code null} if there is none
	 * @param now current time
	 * @return whether the message is well-formed; the node counts malformed ones
	 */
	boolean received(byte[] header, byte @Nullable [] content, long now);

	/**
	 * Handles a peer's subscription.
	 * @param prefix the subscribed prefix
	 * @param now current time
	 */
	void subscribed(byte[] prefix, long now);

	/**
	 * Handles the end of a subscription. Called when the last subscribed peer has
	 * unsubscribed or left.
	 * @param prefix the prefix, which no peer subscribes to anymore
	 */
	default void unsubscribed(byte[] prefix) {
	}

	/**
	 * Returns whether to leave messages unread, which slows their senders down. Called
	 * before each message.
	 * @return {@code true} if there is no room for another message
	 */
	default boolean isFull() {
		return false;
	}

	/**
	 * Does the work that is due or queued. Called after a turn's messages were received.
	 * @param now current time
	 * @return time of the next call if nothing arrives earlier; {@code now} for an
	 * immediate call
	 */
	long work(long now);

	/** Handles the end of the node. Messages can no longer be sent. */
	default void closed() {
	}

	/**
	 * Sends messages for a machine. Used by the node's thread. Internal: not part of the
	 * API.
	 */
	interface Output {

		/** Delay before a sender without room tries again, in nanoseconds. */
		long RETRY_NANOS = 1_000_000;

		/**
		 * Sends a command without content, immediately or as soon as there is room. Drops
		 * it if thousands of commands are waiting; timers repeat all such commands.
		 * @param command a command whose loss is harmless
		 */
		void send(Command command);

		/**
		 * Returns whether a command would be sent immediately. Otherwise, a sender of
		 * many commands should pause.
		 * @return whether there is room
		 */
		boolean hasRoom();

		/**
		 * Returns whether messages to a peer that does not read are being dropped. Such
		 * messages might not arrive.
		 * @return whether a sent message may be dropped
		 */
		default boolean isDropping() {
			return false;
		}

		/**
		 * Sends a record if there is room. Otherwise, the record must be offered again.
		 * @param header the record's header frame
		 * @param content the record's content
		 * @return whether the record was sent
		 */
		boolean offer(byte[] header, Bytes content);

	}

}
