package io.statestore.dafka.producer;

import io.statestore.dafka.DafkaException;

/**
 * The producer was closed before a store acknowledged the record. Consumers and stores
 * may have it all the same.
 */
public final class NotAcknowledgedException extends DafkaException {

	NotAcknowledgedException(String message) {
		super(message);
	}

}
