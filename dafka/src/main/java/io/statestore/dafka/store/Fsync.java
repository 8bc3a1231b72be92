package io.statestore.dafka.store;

/** Policy by which a store waits for the disk before it acknowledges records. */
public enum Fsync {

	/**
	 * Never waits. Acknowledged records survive a crash of the process, but not of the
	 * machine.
	 */
	NEVER,

	/**
	 * Waits once for records that arrive together. Acknowledged records survive a crash
	 * of the machine.
	 */
	BATCH,

	/**
	 * Waits for each record. Acknowledged records survive a crash of the machine. The
	 * latency of a record does not depend on other records.
	 */
	RECORD

}
