package io.statestore.client.lock;

/**
 * Faults of a simulated world, in addition to delays, restarts of the store, pauses, and
 * deaths of processes.
 *
 * @param lossy whether the network loses and repeats messages, and delays some of them
 * for longer than a lease
 * @param forgets whether the store is empty after a restart
 * @param operator whether an operator sometimes deletes the key of the lock. In that case
 * a notification is only lost with its connection, as the protocol guarantees
 */
record SimulatedFaults(boolean lossy, boolean forgets, boolean operator) {

	static final SimulatedFaults NONE = new SimulatedFaults(false, false, false);

}
