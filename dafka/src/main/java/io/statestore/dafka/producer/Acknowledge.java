package io.statestore.dafka.producer;

/** Determines when a record's future completes. */
public enum Acknowledge {

	/**
	 * The future completes when a store has acknowledged the record. Without a store, no
	 * future completes, and memory fills up.
	 */
	STORE,

	/**
	 * The future completes when the producer has published the record. The record can
	 * still be requested until a store has it or it is evicted. When half of the memory
	 * is used, the oldest records that no consumer requests are evicted. Consumers that
	 * have fallen behind slow the producer down, as long as they make progress within ten
	 * times {@code stallTimeout}.
	 */
	NONE

}
