package io.statestore.dafka.reading.internal;

import io.statestore.dafka.Bytes;

/**
 * Outgoing side of a node. Used by the thread of the node. Internal: not part of the API.
 */
public interface Output {

	/** Delay in nanoseconds before a sender without room tries again. */
	long RETRY_NANOS = 1_000_000;

	/**
	 * Sends a command without content, immediately or as soon as there is room. Drops it
	 * if thousands of commands are waiting; timers repeat all such commands.
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
