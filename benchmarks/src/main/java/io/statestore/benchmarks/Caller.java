package io.statestore.benchmarks;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Makes calls of one kind over one or more connections.
 *
 * @param send sends a call without blocking
 * @param await makes a call with the blocking API of the implementation, if it has one
 * @param connection connection to close
 */
record Caller(Supplier<CompletableFuture<?>> send, Callable<?> await,
		AutoCloseable connection) implements AutoCloseable {

	/** Returns a caller without a blocking API. */
	static Caller of(Supplier<CompletableFuture<?>> send, AutoCloseable connection) {
		return new Caller(send, () -> send.get().get(), connection);
	}

	/** Returns a caller that uses several callers in turn. */
	static Caller inTurn(List<Caller> callers) {
		AtomicInteger next = new AtomicInteger();
		Resources connections = new Resources();
		callers.forEach(connections::add);
		return of(() -> callers.get(Math.floorMod(next.getAndIncrement(), callers.size())).send().get(), connections);
	}

	@Override
	public void close() throws Exception {
		this.connection.close();
	}

}
