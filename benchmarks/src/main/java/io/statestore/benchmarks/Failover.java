package io.statestore.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Kills the leader, and measures the time until a SET of a client with the addresses of
 * all nodes succeeds that began after that. Then starts the node again.
 */
final class Failover implements AutoCloseable {

	/** Time between SETs. Each is independent of those before it. */
	private static final Duration INTERVAL = Duration.ofMillis(5);

	private static final int MAX_IN_FLIGHT = 200;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final ThreeNodes nodes;

	private final Caller caller;

	Failover(ThreeNodes nodes) {
		this.nodes = nodes;
		this.caller = nodes.connect(nodes.ports, new Calls(Calls.Operation.SET, 100, 100));
	}

	/** Returns the time in milliseconds. */
	double measure() throws Exception {
		awaitSet();
		int leader = this.nodes.leader();
		long start = System.nanoTime();
		this.nodes.kill(leader);
		double millis = (awaitSet() - start) / 1e6;
		this.nodes.restart(leader);
		return millis;
	}

	/** Waits until a SET succeeds, and returns the time. */
	private long awaitSet() throws IOException, InterruptedException {
		CompletableFuture<Long> first = new CompletableFuture<>();
		Semaphore permits = new Semaphore(MAX_IN_FLIGHT);
		long start = System.nanoTime();
		while (!first.isDone()) {
			if (System.nanoTime() - start > TIMEOUT.toNanos()) {
				throw new IOException("No SET has succeeded within " + TIMEOUT);
			}
			if (permits.tryAcquire()) {
				send().whenComplete((reply, failure) -> {
					permits.release();
					if (failure == null) {
						first.complete(System.nanoTime());
					}
				});
			}
			TimeUnit.NANOSECONDS.sleep(INTERVAL.toNanos());
		}
		return first.join();
	}

	private CompletableFuture<?> send() {
		try {
			return this.caller.send().get();
		}
		catch (RuntimeException ex) {
			// The client is not connected.
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public void close() throws Exception {
		this.caller.close();
	}

}
