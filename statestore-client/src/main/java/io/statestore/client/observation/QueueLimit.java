package io.statestore.client.observation;

import io.statestore.client.KeyChange;
import io.statestore.protocol.Bytes;

/**
 * Limits of the changes that wait for one listener of one key. A single change always has
 * room, however large.
 *
 * @param changes maximum number of changes
 * @param bytes maximum number of bytes of their values
 */
record QueueLimit(int changes, long bytes) {

	/**
	 * Returns whether one more change has room.
	 * @param waiting number of changes that wait
	 * @param waitingBytes bytes of their values
	 */
	boolean hasRoom(int waiting, long waitingBytes, KeyChange<Bytes> next) {
		return waiting == 0 || (waiting < this.changes && waitingBytes + sizeOf(next) <= this.bytes);
	}

	/** Returns the number of bytes of the value. */
	static int sizeOf(KeyChange<Bytes> change) {
		Bytes value = change.value();
		return (value != null) ? value.length() : 0;
	}

}
