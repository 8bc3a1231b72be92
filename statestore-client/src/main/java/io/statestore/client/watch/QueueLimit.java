package io.statestore.client.watch;

import io.statestore.client.KeyChange;
import io.statestore.protocol.Bytes;

/**
 * Limits of a {@link DeliveryQueue}. A single change always fits, regardless of its size.
 *
 * @param changes maximum number of changes
 * @param bytes maximum total length of the changes' values and trace contexts
 */
record QueueLimit(int changes, long bytes) {

	/**
	 * Returns whether the queue has room for another change.
	 * @param waiting number of waiting changes
	 * @param waitingBytes total length of the waiting changes' values and trace contexts
	 */
	boolean hasRoom(int waiting, long waitingBytes, KeyChange<Bytes> next) {
		return waiting == 0 || (waiting < this.changes && waitingBytes + sizeOf(next) <= this.bytes);
	}

	/** Returns the length of a change's value and trace context, in bytes. */
	static int sizeOf(KeyChange<Bytes> change) {
		Bytes value = change.value();
		return change.traceContext().length() + ((value != null) ? value.length() : 0);
	}

}
