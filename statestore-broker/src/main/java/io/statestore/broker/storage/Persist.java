package io.statestore.broker.storage;

/** Which keys survive a restart of a store that has a directory. */
public enum Persist {

	/** All keys. */
	ALL,

	/**
	 * Keys whose last SET had the user property {@code aio-persistence} with the value
	 * {@code true}. All other keys are deleted when the store starts.
	 */
	REQUESTED

}
