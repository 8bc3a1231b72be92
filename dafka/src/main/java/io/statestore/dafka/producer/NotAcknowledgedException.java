package io.statestore.dafka.producer;

import io.statestore.dafka.DafkaException;

/**
 * Thrown when a producer is closed before a store has acknowledged the record. Consumers
 * and stores may have received it nevertheless.
 */
public final class NotAcknowledgedException extends DafkaException {

	NotAcknowledgedException(String message) {
		super(message);
	}

}
