package io.statestore.broker.server;

import java.util.Optional;

/**
 * Storage for the entries of a {@link CommandLog}. Takes the batches of the log in their
 * order, writes them, and decides each. Used within the serial executor, except for
 * {@link #durability()} and {@link #close()}.
 */
interface LogSink extends AutoCloseable {

	/**
	 * Begins to take batches.
	 * @param log the log
	 */
	void start(CommandLog log);

	/** Called when there is a batch to take, perhaps again. */
	void offered();

	/** Returns the maximum size of an encoded entry, in bytes. */
	int maxEntryBytes();

	/** Returns the maximum size of a batch with several entries, in bytes. */
	int maxBatchBytes();

	/** See {@link CommandLog#isWritable()}. */
	boolean isWritable();

	/** See {@link CommandLog#isReplicated()}. */
	default boolean isReplicated() {
		return false;
	}

	/** See {@link CommandLog#confirm}. */
	default void confirm(ClientConnection connection, Runnable action, int bytes) {
		action.run();
	}

	/** See {@link CommandLog#confirmed}. */
	default void confirmed(ClientConnection connection) {
	}

	/** Ends after the batches of the log. */
	void end();

	/** See {@link CommandLog#durability()}. */
	default Optional<DurabilityStatistics> durability() {
		return Optional.empty();
	}

	/**
	 * Waits after {@link #end()} until nothing is written, and releases all resources.
	 */
	@Override
	void close();

}
