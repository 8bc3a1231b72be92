package io.statestore.broker.server;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.LogEntry;

/**
 * An entry on its way into the command log. Exactly one of the other methods is called,
 * within the serial executor.
 */
interface Proposal {

	/**
	 * Returns the entry.
	 * @return the entry
	 */
	LogEntry entry();

	/**
	 * Returns the number of bytes from clients in the entry.
	 * @return the number of bytes
	 */
	int bytes();

	/**
	 * Returns whether the store cannot serve without the entry. It is then written to a
	 * replicated log even while the disk is full.
	 * @return whether the entry is essential
	 */
	default boolean isEssential() {
		return false;
	}

	/**
	 * Called when the entry is committed, before it is applied. {@link #applied(Answer)}
	 * follows.
	 */
	default void applying() {
	}

	/**
	 * Called when the entry is committed and applied. All changes have been passed to the
	 * observers.
	 * @param answer the answer of the state machine
	 */
	void applied(Answer answer);

	/**
	 * Called if the entry is rejected. The log does not contain it, even after a restart.
	 */
	void rejected();

	/**
	 * Called if the entry cannot be encoded, and is not in the log.
	 */
	void failed();

	/**
	 * Returns whether the entry is to be left out, because its request has expired.
	 * Called before each attempt to write the entry, on any thread.
	 * @return whether to call {@link #expired()} instead of writing the entry
	 */
	default boolean isExpired() {
		return false;
	}

	/** Called if the entry was left out because its request has expired. */
	default void expired() {
		rejected();
	}

}
