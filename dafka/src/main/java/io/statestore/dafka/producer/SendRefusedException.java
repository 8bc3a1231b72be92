package io.statestore.dafka.producer;

import io.statestore.dafka.DafkaException;

/** Thrown when a record is not sent: the producer is closed, or its memory is full. */
public final class SendRefusedException extends DafkaException {

	SendRefusedException(String message) {
		super(message);
	}

}
