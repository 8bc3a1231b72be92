package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a request has not reached the state store: no connection, no room before
 * the deadline, or refused by the broker. Nothing was executed, so every call may be
 * repeated.
 */
public class StateStoreNotSentException extends TransientStateStoreException {

	private static final long serialVersionUID = 1L;

	public StateStoreNotSentException(String message) {
		super(message);
	}

	public StateStoreNotSentException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
