package io.statestore.dafka;

import org.jspecify.annotations.Nullable;

/** Thrown when a node fails. The message says what to do next. */
public class DafkaException extends RuntimeException {

	/**
	 * Creates an exception.
	 * @param message what failed, and what to do next
	 */
	public DafkaException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message what failed, and what to do next
	 * @param cause the cause, or {@code null}
	 */
	public DafkaException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
