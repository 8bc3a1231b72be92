package io.statestore.dafka.spring;

import io.statestore.dafka.DafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a value cannot be converted to the content of a record, in which case
 * nothing was sent, or when a record cannot be converted to the requested type. The
 * message never contains the value.
 */
public final class DafkaConversionException extends DafkaException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message message without the value
	 */
	public DafkaConversionException(String message) {
		super(message);
	}

	/**
	 * Creates an exception.
	 * @param message message without the value
	 * @param cause the cause, or {@code null} for none
	 */
	public DafkaConversionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
