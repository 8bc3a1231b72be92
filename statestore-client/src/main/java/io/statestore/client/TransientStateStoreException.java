package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a call failed for a reason that may pass, so a repetition may succeed. The
 * subtypes indicate which calls are safe to repeat:
 * <ul>
 * <li>{@link StateStoreNotSentException}: every call, because nothing was executed,</li>
 * <li>{@link StateStoreOutcomeUnknownException}: only reads and idempotent writes,
 * because the store may have executed it.</li>
 * </ul>
 * Meant for retries, such as those of Spring's {@code @Retryable}. The other subtypes of
 * {@link StateStoreException} fail again when repeated unchanged.
 */
public abstract class TransientStateStoreException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception without a cause.
	 * @param message what failed and the next step
	 */
	protected TransientStateStoreException(String message) {
		super(message);
	}

	/**
	 * Creates an exception.
	 * @param message what failed and the next step
	 * @param cause the cause, or {@code null}
	 */
	protected TransientStateStoreException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
