package io.statestore.dafka.store.storage;

import io.statestore.dafka.DafkaException;
import org.jspecify.annotations.Nullable;

/** The disk or the storage engine failed, or what is stored is damaged. */
public final class StorageException extends DafkaException {

	public StorageException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
