package io.statestore.dafka.producer;

/** When the future of a sent record completes. */
public enum Acknowledge {

	/**
	 * When a store has it. Without a store nothing completes, and the memory fills up.
	 */
	STORE,

	/**
	 * When the producer took it. It is sent again as long as no store has it and there is
	 * memory. When half of the memory is used, the oldest records that no consumer
	 * requests are forgotten. Consumers that are behind slow the producer down, as long
	 * as they make progress within ten times {@code stallTimeout}.
	 */
	NONE

}
