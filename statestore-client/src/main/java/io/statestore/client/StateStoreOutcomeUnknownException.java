package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * The request was sent and no reply came that could be understood: the deadline passed,
 * the connection was lost, or the caller stopped waiting. The store may or may not have
 * done it. Read the key to find out; repeat only what is harmless twice.
 */
public class StateStoreOutcomeUnknownException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	public StateStoreOutcomeUnknownException(String message) {
		super(message);
	}

	public StateStoreOutcomeUnknownException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
