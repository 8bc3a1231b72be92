package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * The request never reached the state store: no connection, no room before the deadline,
 * too large, or refused by the broker. Nothing was executed, so every call may be
 * repeated. Repeating a call that is too large fails again.
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
