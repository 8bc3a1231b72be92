package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a call failed for a temporary reason, so a retry may succeed. The subtypes
 * indicate which calls are safe to retry:
 * <ul>
 * <li>{@link StateStoreNotSentException}: every call, because nothing was executed,</li>
 * <li>{@link StateStoreOutcomeUnknownException}: only reads and idempotent writes,
 * because the store may have executed the command.</li>
 * </ul>
 * Suitable for Spring's {@code @Retryable}, for example. Calls that failed with another
 * {@link StateStoreException} subtype fail again if they are retried unchanged.
 */
public abstract class TransientStateStoreException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message what failed, and how to respond
	 */
	protected TransientStateStoreException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message what failed, and how to respond
	 * @param cause the cause, {@code null} for none
	 */
	protected TransientStateStoreException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
