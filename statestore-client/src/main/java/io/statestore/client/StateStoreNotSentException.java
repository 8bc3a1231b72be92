package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * The request never reached the state store: no connection, no room before the deadline,
 * too large, or turned away by the broker. Nothing has changed in the store and the call
 * may be repeated.
 */
public class StateStoreNotSentException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	public StateStoreNotSentException(String message) {
		super(message);
	}

	public StateStoreNotSentException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
