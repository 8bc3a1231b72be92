package io.statestore.broker.storage;

/**
 * Policies for forcing writes to disk. With every policy, acknowledged writes survive the
 * end of the process, even by {@code kill -9}. The policies differ in which writes a
 * power failure or an operating system crash can lose.
 */
public enum Fsync {

	/**
	 * Acknowledges a write once it is on disk, so acknowledged writes are never lost.
	 * Writes that arrive together share one wait.
	 */
	ALWAYS,

	/**
	 * Forces writes to disk at intervals. Loses at most the writes made during the latest
	 * interval and the force at its end.
	 */
	INTERVAL,

	/**
	 * Lets the operating system decide when writes reach the disk. Loses the latest
	 * writes, often about 30 seconds' worth, depending on the system's configuration.
	 */
	NEVER

}
