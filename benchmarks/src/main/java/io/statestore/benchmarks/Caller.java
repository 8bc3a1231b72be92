package io.statestore.benchmarks;

import java.util.concurrent.CompletableFuture;

/** Sends one kind of call over one connection. */
interface Caller extends AutoCloseable {

	/** Without blocking. */
	CompletableFuture<?> call();

	/** With the blocking API of the contestant, where it has one. */
	default void callAndWait() throws Exception {
		call().get();
	}

	@Override
	void close() throws Exception;

}
