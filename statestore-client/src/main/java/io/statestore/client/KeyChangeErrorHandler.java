package io.statestore.client;

import io.statestore.protocol.Bytes;

/**
 * Handler of changes that could not be processed: the listener threw an exception, or the
 * value could not be converted. Called on the thread of the listener, before its next
 * change.
 */
@FunctionalInterface
public interface KeyChangeErrorHandler {

	/**
	 * Handles a change that could not be processed. It is not delivered again. Exceptions
	 * of this method are logged.
	 * @param listenerId id of the listener
	 * @param change the change, with the unconverted value
	 * @param failure the exception
	 */
	void handleError(String listenerId, KeyChange<Bytes> change, Throwable failure);

}
