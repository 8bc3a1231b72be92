package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * A call to the state store failed. The subtypes indicate what a caller may do next:
 * repeat the call ({@link StateStoreNotSentException}), find out whether it was executed
 * ({@link StateStoreOutcomeUnknownException}), change the request
 * ({@link StateStoreInvalidRequestException}), or accept the refusal
 * ({@link StateStoreRefusedException}).
 */
public class StateStoreException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public StateStoreException(String message) {
		super(message);
	}

	public StateStoreException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
