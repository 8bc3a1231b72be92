package io.statestore.benchmarks;

import java.util.concurrent.CompletableFuture;

/** Stream of records from a sender to receivers that are already connected. */
interface RecordStream extends AutoCloseable {

	/**
	 * Sends a record. Waits while buffers are full.
	 * @return future that completes when the record counts as sent
	 */
	CompletableFuture<?> send(byte[] content);

	@Override
	void close() throws Exception;

}
