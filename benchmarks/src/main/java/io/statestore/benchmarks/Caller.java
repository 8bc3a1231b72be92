package io.statestore.benchmarks;

import java.util.concurrent.CompletableFuture;

/** Sends calls of one kind over one or more connections. */
interface Caller extends AutoCloseable {

	/** Sends a call without blocking. */
	CompletableFuture<?> call();

	/** Sends a call with the blocking API of the implementation, if it has one. */
	default void callAndWait() throws Exception {
		call().get();
	}

	@Override
	void close() throws Exception;

}
