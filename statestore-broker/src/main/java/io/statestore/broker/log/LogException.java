package io.statestore.broker.log;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store's directory cannot be used as requested. The message names the
 * directory or the file, and the next step.
 */
public abstract class LogException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	LogException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
