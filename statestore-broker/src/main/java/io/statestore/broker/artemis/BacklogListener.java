package io.statestore.broker.artemis;

/**
 * Listener for the state of the backlog of one connection.
 * <p>
 * Internal: not part of the API.
 */
@FunctionalInterface
public interface BacklogListener {

	/**
	 * Called on the event loop when the backlog becomes full, and when reading may
	 * resume.
	 * @param full whether the backlog is full
	 */
	void backlogChanged(boolean full);

}
