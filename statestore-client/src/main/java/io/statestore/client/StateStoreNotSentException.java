package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a request did not reach the state store, because there was no connection,
 * too many calls were in flight until the deadline, or the broker refused the request.
 * Nothing was executed, so every call is safe to retry.
 */
public class StateStoreNotSentException extends TransientStateStoreException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message what failed, and how to respond
	 */
	public StateStoreNotSentException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message what failed, and how to respond
	 * @param cause the cause, {@code null} for none
	 */
	public StateStoreNotSentException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
