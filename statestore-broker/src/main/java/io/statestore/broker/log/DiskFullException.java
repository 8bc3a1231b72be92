package io.statestore.broker.log;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when there is no space for a batch, or when a file cannot be extended for
 * another reason, which the message names. No part of the batch was written. The log
 * stays usable, and the same or another batch may be appended later.
 */
public final class DiskFullException extends LogException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message what failed, and how to respond
	 * @param cause the file system's error, or {@code null}
	 */
	public DiskFullException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
