package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a call to the state store failed. The subtypes indicate the next step:
 * retry the call ({@link StateStoreNotSentException}), find out whether it was executed
 * ({@link StateStoreOutcomeUnknownException}), change the request
 * ({@link StateStoreInvalidRequestException}), or accept the refusal
 * ({@link StateStoreRefusedException}).
 */
public class StateStoreException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message what failed, and how to respond
	 */
	public StateStoreException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message what failed, and how to respond
	 * @param cause the cause, {@code null} for none
	 */
	public StateStoreException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
