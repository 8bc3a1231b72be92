package io.statestore.dafka.node;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.wire.Command;

/** The way out of a node, for its thread only. */
public interface Output {

	/**
	 * Sends a command without content, now or as soon as there is room. With thousands
	 * already waiting it is dropped: every such command is repeated by a timer.
	 */
	void send(Command command);

	/**
	 * Returns whether a command would leave at once. A sender of many commands stops when
	 * it would not, and continues later.
	 */
	boolean hasRoom();

	/**
	 * Returns whether commands to a peer that does not read are dropped at present. A
	 * sender must not count on what it sends meanwhile.
	 */
	default boolean isDropping() {
		return false;
	}

	/**
	 * Sends a record.
	 * @return whether it was sent; if not, there is no room and the record has to be
	 * offered again
	 */
	boolean offer(byte[] header, Bytes content);

}
