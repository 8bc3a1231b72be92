package io.statestore.dafka.store;

import io.statestore.dafka.DafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the disk or the storage engine fails, or when stored records are damaged.
 */
public final class StorageException extends DafkaException {

	/**
	 * Creates an exception.
	 * @param message what failed and what to do next
	 * @param cause the cause, or {@code null}
	 */
	public StorageException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
