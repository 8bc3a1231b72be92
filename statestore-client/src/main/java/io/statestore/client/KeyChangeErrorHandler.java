package io.statestore.client;

import io.statestore.protocol.Bytes;

/**
 * Handles changes that could not be processed, because the listener threw an exception or
 * the value could not be converted. Called on the listener's thread, before its next
 * change.
 */
@FunctionalInterface
public interface KeyChangeErrorHandler {

	/**
	 * Handles a change that could not be processed. The change is not delivered again.
	 * Exceptions thrown by this method are logged.
	 * @param listenerId the listener's id, as in logs
	 * @param change the change, with the unconverted value
	 * @param failure exception from the listener or the value conversion
	 */
	void handleError(String listenerId, KeyChange<Bytes> change, Throwable failure);

}
