package io.statestore.dafka.producer;

/** Time at which the future of a record completes. */
public enum Acknowledge {

	/**
	 * Completes when a store has acknowledged the record. Without a store, no future
	 * completes and the memory fills up.
	 */
	STORE,

	/**
	 * Completes when the producer has published the record. The record remains available
	 * on request until a store has it or memory runs out. When half of the memory is
	 * used, the oldest records that no consumer requests are evicted. Consumers that have
	 * fallen behind slow the producer down, as long as they make progress within ten
	 * times {@code stallTimeout}.
	 */
	NONE

}
