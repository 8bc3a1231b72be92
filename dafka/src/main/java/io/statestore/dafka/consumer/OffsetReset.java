package io.statestore.dafka.consumer;

/** Where a consumer begins in a partition of which it has no offset. */
public enum OffsetReset {

	/** At the first record that a store or the producer still has. */
	EARLIEST,

	/**
	 * At the first record that is published once the consumer and the producer are
	 * connected.
	 */
	LATEST

}
