package io.statestore.broker.storage;

/**
 * Policies for forcing writes to the disk. With every policy, acknowledged writes survive
 * the end of the process, even by {@code kill -9}. The policies differ in the writes that
 * a power failure or a crash of the operating system may lose.
 */
public enum Fsync {

	/**
	 * Acknowledges a write when it is on the disk. Loses no acknowledged write. Writes
	 * that arrive together share one wait.
	 */
	ALWAYS,

	/**
	 * Forces writes to the disk at intervals. Loses at most the writes of the latest
	 * interval and of the force at its end.
	 */
	INTERVAL,

	/**
	 * Lets the operating system decide when writes reach the disk. Loses the latest
	 * writes, often those of 30 seconds, depending on its configuration.
	 */
	NEVER

}
