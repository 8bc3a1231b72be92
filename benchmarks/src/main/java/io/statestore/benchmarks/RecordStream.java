package io.statestore.benchmarks;

import java.util.concurrent.CompletableFuture;

/** From a sender to receivers that are connected already. */
interface RecordStream extends AutoCloseable {

	/**
	 * Sends, and waits while there is no room.
	 * @return completes when the record counts as sent
	 */
	CompletableFuture<?> send(byte[] content);

	@Override
	void close() throws Exception;

}
