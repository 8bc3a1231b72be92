package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Makes calls of one kind over one or more connections.
 *
 * @param send sends a call without blocking
 * @param await makes a call with the implementation's blocking API, if it has one
 * @param connection connections to close with this caller
 */
record Caller(Supplier<CompletableFuture<?>> send, Callable<?> await,
		AutoCloseable connection) implements AutoCloseable {

	/** Returns a caller without a blocking API. */
	static Caller of(Supplier<CompletableFuture<?>> send, AutoCloseable connection) {
		return new Caller(send, () -> send.get().get(), connection);
	}

	/** Returns a caller that uses several connections in turn. */
	static Caller inTurn(int connections, Callable<Caller> connect) throws Exception {
		if (connections == 1) {
			return connect.call();
		}
		Resources resources = new Resources();
		List<Caller> callers = new ArrayList<>();
		for (int i = 0; i < connections; i++) {
			callers.add(resources.add(connect.call()));
		}
		AtomicInteger next = new AtomicInteger();
		return of(() -> callers.get(Math.floorMod(next.getAndIncrement(), connections)).send().get(), resources);
	}

	@Override
	public void close() throws Exception {
		this.connection.close();
	}

	/** Matches replies with requests by correlation data, with minimal work. */
	static final class Replies {

		private final Map<ByteBuffer, CompletableFuture<?>> pending = new ConcurrentHashMap<>();

		private final AtomicLong count = new AtomicLong();

		/** Sends a request and returns a future that completes with its reply. */
		CompletableFuture<?> request(Consumer<byte[]> send) {
			byte[] correlation = ByteBuffer.allocate(16).putLong(this.count.incrementAndGet()).array();
			CompletableFuture<?> reply = new CompletableFuture<>();
			this.pending.put(ByteBuffer.wrap(correlation), reply);
			send.accept(correlation);
			return reply;
		}

		void arrived(ByteBuffer correlation) {
			CompletableFuture<?> reply = this.pending.remove(correlation);
			if (reply != null) {
				reply.complete(null);
			}
		}

		/** Fails all requests without a reply. */
		void fail(Throwable cause) {
			this.pending.values().forEach((reply) -> reply.completeExceptionally(cause));
		}

	}

}
