package io.statestore.client;

import io.statestore.protocol.Bytes;

/**
 * Is told of a change that a listener did not take: the listener threw, or the value
 * could not be converted. Called on the thread of the listener, before the next change.
 */
@FunctionalInterface
public interface KeyChangeErrorHandler {

	/**
	 * A change was not taken. It is not delivered again.
	 * @param listenerId which listener
	 * @param change with the value as the store has it
	 * @param failure what was thrown
	 */
	void handleError(String listenerId, KeyChange<Bytes> change, Throwable failure);

}
