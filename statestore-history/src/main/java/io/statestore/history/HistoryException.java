package io.statestore.history;

import org.jspecify.annotations.Nullable;

/** Thrown when a history cannot be read or written, or is invalid. */
public class HistoryException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message what failed, and the next step
	 */
	public HistoryException(String message) {
		this(message, null);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message what failed, and the next step
	 * @param cause the cause, or {@code null}
	 */
	public HistoryException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
