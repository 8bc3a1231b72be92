package io.statestore.broker.storage;

/**
 * Listener for the recovery of a store from its directory. Until the recovery has ended,
 * the store does not accept clients.
 */
@FunctionalInterface
public interface RecoveryListener {

	/**
	 * Called at the beginning of each part of a recovery, at most every 100 ms while the
	 * part is read, and at the end of the recovery. Not called for a new store. The
	 * recovery waits for this method, on the thread that starts the store. An exception
	 * fails the start.
	 * @param progress the progress
	 */
	void recovering(RecoveryProgress progress);

}
