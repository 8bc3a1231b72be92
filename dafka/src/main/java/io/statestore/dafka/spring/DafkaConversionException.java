package io.statestore.dafka.spring;

import io.statestore.dafka.DafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a value cannot be converted to record content, in which case nothing was
 * sent, or when record content cannot be converted to the requested type. The message
 * never contains the value.
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
	 * Creates an exception with a cause.
	 * @param message message without the value
	 * @param cause the cause, or {@code null} if there is none
	 */
	public DafkaConversionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
