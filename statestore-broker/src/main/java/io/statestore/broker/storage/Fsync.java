package io.statestore.broker.storage;

/**
 * When a store waits for the disk. Every setting survives the end of the process, also
 * with {@code kill -9}. The settings differ in what a power failure or a crash of the
 * operating system may lose.
 */
public enum Fsync {

	/**
	 * A write is acknowledged when it is on the disk. Loses nothing. Writes that arrive
	 * together share one wait.
	 */
	ALWAYS,

	/**
	 * Writes reach the disk in intervals. Loses at most the writes of the latest interval
	 * and of the wait at its end.
	 */
	INTERVAL,

	/**
	 * The operating system decides when writes reach the disk. Loses the writes of a time
	 * that depends on its configuration, often 30 seconds.
	 */
	NEVER

}
