package io.statestore.dafka.producer;

/** When the future of a sent record completes. */
public enum Acknowledge {

	/**
	 * When a store has it. Without a store nothing completes, and the memory fills up.
	 */
	STORE,

	/**
	 * At once, when the producer took it. It is sent again as long as no store has it and
	 * there is memory; beyond, the oldest records are forgotten.
	 */
	NONE

}
