package io.statestore.dafka.store;

/** When a store waits for the disk before it acknowledges. */
public enum Fsync {

	/**
	 * Not at all: what was acknowledged survives the end of the process, not that of the
	 * machine.
	 */
	NEVER,

	/** Once for all that arrived together: survives the machine. */
	BATCH,

	/** For each record: as {@link #BATCH}, with the shortest wait for a lone record. */
	RECORD

}
