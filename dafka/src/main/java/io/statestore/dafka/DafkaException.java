package io.statestore.dafka;

import org.jspecify.annotations.Nullable;

/** Something a node could not do; the message says what to do about it. */
public class DafkaException extends RuntimeException {

	public DafkaException(String message) {
		super(message);
	}

	public DafkaException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
