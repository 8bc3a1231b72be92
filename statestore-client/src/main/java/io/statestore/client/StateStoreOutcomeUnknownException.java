package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a request was sent but no valid reply arrived, because the deadline passed,
 * the connection was lost, or the caller stopped waiting. The store may have executed the
 * command; read the key to find out. Only reads and idempotent writes are safe to retry.
 */
public class StateStoreOutcomeUnknownException extends TransientStateStoreException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message what failed, and how to respond
	 */
	public StateStoreOutcomeUnknownException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message what failed, and how to respond
	 * @param cause the cause, {@code null} for none
	 */
	public StateStoreOutcomeUnknownException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
