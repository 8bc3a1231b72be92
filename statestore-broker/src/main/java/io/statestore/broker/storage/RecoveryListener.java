package io.statestore.broker.storage;

/**
 * Listener for the recovery of a store from its directory. Until the recovery has ended,
 * the store does not accept clients.
 */
@FunctionalInterface
public interface RecoveryListener {

	/**
	 * Called at the begin of each part of a recovery, at most every 100 ms while it is
	 * read, and at the end of the recovery. Not called for a new store. The recovery
	 * waits for this method, on the thread that starts the store. An exception fails the
	 * start.
	 * @param progress the progress
	 */
	void recovering(RecoveryProgress progress);

}
