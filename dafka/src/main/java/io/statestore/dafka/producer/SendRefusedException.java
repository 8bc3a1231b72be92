package io.statestore.dafka.producer;

import io.statestore.dafka.DafkaException;

/** The record was not sent: the producer is closed, or its memory stayed full. */
public final class SendRefusedException extends DafkaException {

	SendRefusedException(String message) {
		super(message);
	}

}
