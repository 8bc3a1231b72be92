package io.statestore.dafka.store;

/** Determines when a store waits for the disk before it acknowledges records. */
public enum Fsync {

	/**
	 * Never waits. Acknowledged records survive a process crash, but not a machine crash.
	 */
	NEVER,

	/**
	 * Waits once for all records that arrive together. Acknowledged records survive a
	 * machine crash.
	 */
	BATCH,

	/**
	 * Waits for each record. Acknowledged records survive a machine crash. A record's
	 * latency does not depend on other records.
	 */
	RECORD

}
