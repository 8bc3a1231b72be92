package io.statestore.dafka.producer;

/** Time at which the future of a record completes. */
public enum Acknowledge {

	/**
	 * Completes when a store has acknowledged the record. Without a store no future
	 * completes, and the memory fills up.
	 */
	STORE,

	/**
	 * Completes when the producer has accepted the record. It remains available on
	 * request while no store has it and memory permits. When half of the memory is used,
	 * the oldest records that no consumer requests are evicted. Consumers that are behind
	 * slow the producer down, as long as they make progress within ten times
	 * {@code stallTimeout}.
	 */
	NONE

}
