package io.statestore.benchmarks.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.engine.Quota;
import io.statestore.broker.engine.StateStoreEngine;
import io.statestore.protocol.Command.Condition;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Time of removing a million keys that have expired within ten minutes. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ExpiryBenchmark {

	private static final int KEYS = 1_000_000;

	/** Number of keys that the server removes at a time. */
	private static final int BATCH = 1_000;

	private static final long RANGE_MILLIS = TimeUnit.MINUTES.toMillis(10);

	private long nanos;

	private final StateStoreEngine<Object> engine = new StateStoreEngine<>(System::currentTimeMillis, () -> this.nanos,
			Quota.UNLIMITED, (key, change, version, observers) -> {
			});

	/** Stores all keys, and advances the clock beyond their expiry. */
	@Setup(Level.Invocation)
	public void fill() {
		Requests requests = new Requests(KEYS, 100);
		Requests deadlines = new Requests((int) RANGE_MILLIS, 0);
		for (int i = 0; i < KEYS; i++) {
			this.engine.apply(requests.set(i, Condition.ALWAYS, Duration.ofMillis(1 + deadlines.nextIndex())));
		}
		this.nanos += TimeUnit.MILLISECONDS.toNanos(RANGE_MILLIS + 1);
	}

	/** Removes all keys. */
	@Benchmark
	@OperationsPerInvocation(KEYS)
	public long expire() {
		while (this.engine.expire(BATCH)) {
			// A server would execute requests between batches
		}
		return this.engine.keyCount();
	}

}
