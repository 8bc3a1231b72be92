package io.statestore.dafka.consumer;

/** Start of a consumer in partitions without an offset. */
public enum OffsetReset {

	/** Starts at the first record that a store or the producer still has. */
	EARLIEST,

	/**
	 * Starts at the first record published after the consumer and the producer have
	 * connected.
	 */
	LATEST

}
