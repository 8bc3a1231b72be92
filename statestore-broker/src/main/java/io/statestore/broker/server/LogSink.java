package io.statestore.broker.server;

import java.util.Optional;

/**
 * Storage for the entries of a {@link CommandLog}. Takes the log's batches in order,
 * writes them, and decides the outcome of each. Used within the serial executor, except
 * for {@link #durability()} and {@link #close()}.
 */
interface LogSink extends AutoCloseable {

	/**
	 * Begins taking batches.
	 * @param log the log that offers batches
	 */
	void start(CommandLog log);

	/** Called when there is a batch to take, possibly repeatedly for the same batch. */
	void offered();

	/** Returns the maximum size of an encoded entry, in bytes. */
	int maxEntryBytes();

	/** Returns the maximum size of a batch with more than one entry, in bytes. */
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

	/** Ends this sink once the log's batches have been handled. */
	void end();

	/** See {@link CommandLog#durability()}. */
	default Optional<DurabilityStatistics> durability() {
		return Optional.empty();
	}

	/**
	 * After {@link #end()}, waits until nothing is being written, and releases all
	 * resources.
	 */
	@Override
	void close();

}
