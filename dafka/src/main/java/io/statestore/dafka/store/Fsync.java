package io.statestore.dafka.store;

/** Time at which a store waits for the disk, before it acknowledges records. */
public enum Fsync {

	/**
	 * Never waits. Acknowledged records survive a crash of the process, but not of the
	 * machine.
	 */
	NEVER,

	/**
	 * Waits once for records that arrive together. They survive a crash of the machine.
	 */
	BATCH,

	/**
	 * Waits for each record. Like {@link #BATCH}, with the lowest latency of one record.
	 */
	RECORD

}
