package io.statestore.dafka.consumer;

/** Where a consumer starts in partitions without a saved offset. */
public enum OffsetReset {

	/** Starts at the first record that a store or the producer still has. */
	EARLIEST,

	/**
	 * Starts at the first record published after the consumer and the producer have
	 * connected.
	 */
	LATEST

}
