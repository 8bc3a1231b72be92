package io.statestore.dafka.spring;

import io.statestore.dafka.DafkaException;
import org.jspecify.annotations.Nullable;

/**
 * A value could not be turned into the content of a record, in which case nothing was
 * sent, or a record not into a value of the type asked for. The message never contains
 * the value.
 */
public final class DafkaConversionException extends DafkaException {

	private static final long serialVersionUID = 1L;

	public DafkaConversionException(String message) {
		super(message);
	}

	public DafkaConversionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
