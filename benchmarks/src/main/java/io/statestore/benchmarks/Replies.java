package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Matches replies with requests by their correlation data, with the least work. */
final class Replies {

	private final Map<ByteBuffer, CompletableFuture<?>> pending = new ConcurrentHashMap<>();

	private final AtomicLong count = new AtomicLong();

	/** Sends a request, and returns a future that completes with its reply. */
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

}
