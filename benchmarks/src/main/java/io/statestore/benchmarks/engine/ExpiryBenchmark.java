package io.statestore.benchmarks.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
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

	private static final long RANGE_MILLIS = TimeUnit.MINUTES.toMillis(10);

	/** Log time. */
	private long nanos;

	private final StateMachine machine = Requests.newMachine();

	/** Stores all keys, and advances the clock beyond their expiry. */
	@Setup(Level.Invocation)
	public void fill() {
		Requests requests = new Requests(KEYS, 100);
		requests.nanos = this.nanos;
		Requests deadlines = new Requests((int) RANGE_MILLIS, 0);
		for (int i = 0; i < KEYS; i++) {
			this.machine.apply(requests.set(i, Condition.ALWAYS, Duration.ofMillis(1 + deadlines.nextIndex())));
		}
		this.nanos += TimeUnit.MILLISECONDS.toNanos(RANGE_MILLIS + 1);
	}

	/** Removes all keys. */
	@Benchmark
	@OperationsPerInvocation(KEYS)
	public long expire() {
		// A server would execute requests between batches
		while (this.machine.nextDeadline() <= this.nanos) {
			List<Bytes> keys = this.machine.due(this.nanos, LogEntry.Expire.MAX_KEYS);
			this.machine.apply(new LogEntry.Expire(this.nanos, System.currentTimeMillis(), null, keys));
		}
		return this.machine.keyCount();
	}

}
