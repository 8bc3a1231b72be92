package io.statestore.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Phaser;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.client.Key;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;

/**
 * Measurement with a constant number of requests in flight: each reply triggers the next
 * request.
 */
final class BenchRun {

	private static final Duration POLL = Duration.ofMillis(50);

	/** Delays the next request of a sequence after an error. */
	private static final Executor AFTER_ERROR = CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS);

	private final StateStoreAsyncOperations operations;

	private final Load load;

	private final int inFlight;

	private final Stop stop;

	private final Latencies latencies = new Latencies();

	private final AtomicLong errors = new AtomicLong();

	private volatile boolean ended;

	BenchRun(StateStoreTemplate template, Load load, int inFlight, Stop stop) {
		this.operations = template.async();
		this.load = load;
		this.inFlight = inFlight;
		this.stop = stop;
	}

	/** Runs until the duration has passed or the command must end. */
	Result run(Duration duration) {
		// Counts the request sequences that have not ended.
		Phaser running = new Phaser(1);
		long start = System.nanoTime();
		for (int i = 0; i < this.inFlight; i++) {
			running.register();
			send(running);
		}
		long left = duration.toNanos();
		while (left > 0 && !this.stop.await(Duration.ofNanos(Math.min(left, POLL.toNanos())))) {
			left = duration.toNanos() - (System.nanoTime() - start);
		}
		this.ended = true;
		running.arriveAndAwaitAdvance();
		return new Result(this.latencies, this.errors.get(), System.nanoTime() - start);
	}

	private void send(Phaser running) {
		if (this.ended) {
			running.arriveAndDeregister();
			return;
		}
		ThreadLocalRandom random = ThreadLocalRandom.current();
		Key key = this.load.keys().get(random.nextInt(this.load.keys().size()));
		long sent = System.nanoTime();
		CompletableFuture<?> reply = (random.nextInt(100) < this.load.reads()) ? this.operations.get(key, Bytes.class)
				: this.operations.set(key, this.load.value(), (spec) -> spec.expire(this.load.expiry()));
		reply.whenComplete((result, failure) -> {
			if (failure == null) {
				this.latencies.add(System.nanoTime() - sent);
				send(running);
			}
			else {
				this.errors.incrementAndGet();
				AFTER_ERROR.execute(() -> send(running));
			}
		});
	}

	/**
	 * Requests of a measurement.
	 *
	 * @param keys keys to read and write
	 * @param value value to write
	 * @param reads percentage of reads
	 * @param expiry expiry of the written keys
	 */
	record Load(List<Key> keys, Bytes value, int reads, Duration expiry) {
	}

	/**
	 * Result of a measurement.
	 *
	 * @param latencies round trips of successful requests
	 * @param errors number of failed requests
	 * @param nanos duration of the measurement in nanoseconds
	 */
	record Result(Latencies latencies, long errors, long nanos) {
	}

}
