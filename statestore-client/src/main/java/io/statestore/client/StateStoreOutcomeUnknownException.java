package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * The request was sent and no valid reply arrived: the deadline passed, the connection
 * was lost, or the caller stopped waiting. The store may or may not have executed it.
 * Read the key to find out. Repeat reads and idempotent writes only.
 */
public class StateStoreOutcomeUnknownException extends TransientStateStoreException {

	private static final long serialVersionUID = 1L;

	public StateStoreOutcomeUnknownException(String message) {
		super(message);
	}

	public StateStoreOutcomeUnknownException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
