package io.statestore.broker.log;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store's directory cannot be used as requested. The message names the
 * directory or the file, and explains how to fix the problem.
 */
public abstract class LogException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	LogException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
