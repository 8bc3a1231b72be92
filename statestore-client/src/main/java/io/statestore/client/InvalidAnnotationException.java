package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown at startup when an annotated method cannot be used as declared, for example a
 * {@link io.statestore.client.annotation.StateStoreListener} method without keys. The
 * message names the method, the problem, and the next step.
 */
public final class InvalidAnnotationException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message the method, the problem, and the next step
	 * @param cause the failure behind the problem, or {@code null}
	 */
	public InvalidAnnotationException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
