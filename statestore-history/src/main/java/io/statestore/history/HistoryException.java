package io.statestore.history;

import org.jspecify.annotations.Nullable;

/** The history cannot be read or written, or is not what it should be. */
public final class HistoryException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public HistoryException(String message) {
		this(message, null);
	}

	public HistoryException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
