package io.statestore.dafka;

import org.jspecify.annotations.Nullable;

/** Thrown when a node fails. The message names the next step. */
public class DafkaException extends RuntimeException {

	/**
	 * Creates an exception.
	 * @param message what failed, and the next step
	 */
	public DafkaException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message what failed, and the next step
	 * @param cause the cause, or {@code null}
	 */
	public DafkaException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
