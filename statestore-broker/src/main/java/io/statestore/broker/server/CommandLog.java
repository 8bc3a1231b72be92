package io.statestore.broker.server;

import java.util.Optional;

/**
 * The order of all entries of a store. Each entry is applied once it is committed. No
 * effect of an entry is visible before that.
 * <p>
 * Used within the serial executor, except for {@link #durability()} and {@link #close()}.
 */
interface CommandLog extends AutoCloseable {

	/** Starts to write entries. Called once, before the first one. */
	void start();

	/**
	 * Appends an entry.
	 * @param proposal the entry, which may have been applied when this method returns
	 * @return the position of the entry, greater than all earlier ones. It is not related
	 * to indexes of files
	 */
	long append(Proposal proposal);

	/**
	 * Returns how far the log is processed.
	 * @return the position up to which all entries were applied or rejected
	 */
	long done();

	/**
	 * Returns whether any entry is neither applied nor rejected.
	 * @return whether entries are on their way
	 */
	boolean isBusy();

	/**
	 * Runs an action once an entry has been applied or rejected; immediately if it
	 * already has. Actions for the same or increasing positions run in the order of the
	 * calls.
	 * @param position the position of the entry
	 * @param action the action
	 * @param bytes the number of bytes from clients that the action holds
	 */
	void after(long position, Runnable action, int bytes);

	/**
	 * Runs an action once it is certain that no other node has served the store before
	 * this call. The caller has read the state before, and the action tells a client what
	 * it read. Runs at once if the log is not replicated, and never if this node has lost
	 * its leadership. Actions run in the order of the calls, except for those that
	 * {@link #confirmed} runs.
	 * @param connection the connection of the client
	 * @param action the action
	 * @param bytes the number of bytes that the action holds
	 */
	void confirm(ClientConnection connection, Runnable action, int bytes);

	/**
	 * Runs the actions of a connection that wait for {@link #confirm}. To be called when
	 * an entry of the same connection has been applied, before its reply. The requests of
	 * these actions arrived before the entry was proposed, so its commit confirms that no
	 * other node had served the store when they arrived.
	 * @param connection the connection whose entry was applied
	 */
	void confirmed(ClientConnection connection);

	/**
	 * Returns whether other nodes have the log, too, so that {@link #confirm} takes time.
	 * @return whether the log is replicated
	 */
	boolean isReplicated();

	/**
	 * Returns whether too much memory is held to accept further requests.
	 * @return whether entries and actions exceed the limit
	 */
	boolean isFull();

	/**
	 * Returns whether too much memory is held to let even a refused request wait for its
	 * turn.
	 * @return whether entries and actions exceed twice the limit
	 */
	boolean isExhausted();

	/**
	 * Returns whether to append further entries. While the disk is full, a few entries
	 * are admitted at a time, to detect new space.
	 * @return whether an entry is likely to be accepted
	 */
	boolean isWritable();

	/**
	 * Returns whether entries survive a crash. Log time then survives only as part of an
	 * entry.
	 * @return whether the log is durable
	 */
	boolean isDurable();

	/** Called after other entries, or none, when the server is closed. */
	void end();

	/**
	 * Returns figures of a durable log. Thread-safe, and never waits.
	 * @return a snapshot, empty if the log is in memory
	 */
	Optional<DurabilityStatistics> durability();

	/**
	 * Waits after {@link #end()} until all entries are applied, and releases all
	 * resources. Called outside the serial executor.
	 */
	@Override
	void close();

}
