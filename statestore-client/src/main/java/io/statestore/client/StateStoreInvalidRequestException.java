package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a request cannot be sent as it is, most often because it is larger than the
 * broker or MQTT accepts. Nothing was executed, and the same request fails again: the
 * failure is not {@linkplain TransientStateStoreException transient}.
 */
public class StateStoreInvalidRequestException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception without a cause.
	 * @param message what is wrong with the request and the next step
	 */
	public StateStoreInvalidRequestException(String message) {
		super(message);
	}

	/**
	 * Creates an exception.
	 * @param message what is wrong with the request and the next step
	 * @param cause the cause, or {@code null}
	 */
	public StateStoreInvalidRequestException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
