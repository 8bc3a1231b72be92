package io.statestore.broker.storage;

/**
 * Listener for the recovery of a store from its directory. The store does not accept
 * clients until the recovery has ended.
 */
@FunctionalInterface
public interface RecoveryListener {

	/**
	 * Called at the beginning of each part of a recovery, at most every 100 ms while the
	 * part is read, and at the end of the recovery. Not called for a new store. Called on
	 * the thread that starts the store; the recovery waits until this method returns. An
	 * exception makes the start fail.
	 * @param progress the progress so far
	 */
	void recovering(RecoveryProgress progress);

}
