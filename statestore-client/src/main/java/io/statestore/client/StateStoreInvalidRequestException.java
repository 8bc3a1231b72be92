package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a request cannot be sent, usually because it exceeds the maximum size that
 * the broker or MQTT allows. Nothing was executed. Retrying the same request fails again,
 * so the failure is not {@linkplain TransientStateStoreException transient}.
 */
public class StateStoreInvalidRequestException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message what is wrong with the request, and how to fix it
	 */
	public StateStoreInvalidRequestException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message what is wrong with the request, and how to fix it
	 * @param cause the cause, {@code null} for none
	 */
	public StateStoreInvalidRequestException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
