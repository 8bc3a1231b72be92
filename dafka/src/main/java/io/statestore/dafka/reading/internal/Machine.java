package io.statestore.dafka.reading.internal;

import io.statestore.dafka.Bytes;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Behavior of one kind of node: producer, consumer, or store. Called by the thread of the
 * node; must not block. Times are in nanoseconds. Internal: not part of the API.
 */
public interface Machine {

	/**
	 * Returns the initial subscriptions at all peers.
	 * @return the prefixes
	 */
	List<byte[]> subscriptions();

	/**
	 * Handles a message.
	 * @param header first frame
	 * @param content second frame, or {@code null} if there is none
	 * @param now the time
	 * @return whether the message is well-formed; the node counts malformed ones
	 */
	boolean received(byte[] header, byte @Nullable [] content, long now);

	/**
	 * Handles a subscription of a peer.
	 * @param prefix the subscription
	 * @param now the time
	 */
	void subscribed(byte[] prefix, long now);

	/**
	 * Handles the end of a subscription, when the last peer has ended it or left.
	 * @param prefix the subscription
	 */
	default void unsubscribed(byte[] prefix) {
	}

	/**
	 * Returns whether to leave messages unread, which slows their senders down. Called
	 * before each message.
	 * @return whether there is no room for another message
	 */
	default boolean isFull() {
		return false;
	}

	/**
	 * Does the work that is due or queued, after the messages of a turn were received.
	 * @param now the time
	 * @return time of the next call if nothing arrives earlier, {@code now} for an
	 * immediate call
	 */
	long work(long now);

	/** Handles the end of the node. No message can be sent. */
	default void closed() {
	}

	/**
	 * Outgoing side of a node. Used by the thread of the node. Internal: not part of the
	 * API.
	 */
	interface Output {

		/** Delay in nanoseconds before a sender without room tries again. */
		long RETRY_NANOS = 1_000_000;

		/**
		 * Sends a command without content, immediately or as soon as there is room. Drops
		 * it if thousands of commands are waiting; timers repeat all such commands.
		 * @param command the command
		 */
		void send(Command command);

		/**
		 * Returns whether a command would be sent immediately. A sender of many commands
		 * pauses while there is no room.
		 * @return whether there is room
		 */
		boolean hasRoom();

		/**
		 * Returns whether messages to a peer that does not read are being dropped. Such
		 * messages may not arrive.
		 * @return whether messages may be dropped
		 */
		default boolean isDropping() {
			return false;
		}

		/**
		 * Sends a record if there is room. Otherwise, the record must be offered again.
		 * @param header header frame of the record
		 * @param content content of the record
		 * @return whether the record was sent
		 */
		boolean offer(byte[] header, Bytes content);

	}

}
