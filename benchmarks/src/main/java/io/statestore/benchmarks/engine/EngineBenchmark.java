package io.statestore.benchmarks.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Time of one operation with one thread and random existing keys. For comparison: the
 * same keys and values in a HashMap, a single read of memory, and the creation of a
 * request, which is part of all other times.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EngineBenchmark {

	private static final int MILLION = 1_000_000;

	private static final Duration LEASE = Duration.ofSeconds(30);

	@Benchmark
	public Answer get(Store store) {
		return store.machine.read(store.requests.get(store.requests.nextIndex()));
	}

	@Benchmark
	public Answer set(Store store) {
		return store.machine.apply(store.requests.set(store.requests.nextIndex(), Condition.ALWAYS, null));
	}

	@Benchmark
	public Answer renew(Leases leases) {
		return leases.machine
			.apply(leases.requests.set(leases.requests.nextIndex(), Condition.IF_ABSENT_OR_EQUAL, LEASE));
	}

	@Benchmark
	public byte @Nullable [] hashMapPut(Floor floor) {
		Command.Set set = (Command.Set) requestOnly(floor).command();
		return floor.map.put(set.key(), set.value().toArray());
	}

	@Benchmark
	public LogEntry.Write requestOnly(Floor floor) {
		return floor.requests.set(floor.requests.nextIndex(), Condition.ALWAYS, null);
	}

	@Benchmark
	public long readMemory(Memory memory) {
		// The address depends on the value read before, as in a search
		memory.last = memory.memory[memory.requests.nextIndex() * Memory.LONGS_PER_KEY + (int) memory.last];
		return memory.last;
	}

	/** Removes a million keys that have expired within ten minutes. */
	@Benchmark
	@BenchmarkMode(Mode.SingleShotTime)
	@OperationsPerInvocation(MILLION)
	public long expire(Expired expired) {
		// A server would execute requests between batches
		while (expired.machine.nextDeadline() <= expired.nanos) {
			List<Bytes> keys = expired.machine.due(expired.nanos, LogEntry.Expire.MAX_KEYS);
			expired.machine.apply(new LogEntry.Expire(expired.nanos, System.currentTimeMillis(), null, keys));
		}
		return expired.machine.keyCount();
	}

	/** Keys and the values of requests. */
	@State(Scope.Thread)
	public abstract static class Keys {

		/** Number of keys. */
		@Param({ "10000", "100000", "1000000" })
		public int keys;

		/** Size of a value in bytes. */
		@Param({ "100" })
		public int size;

		Requests requests = new Requests(1, 0);

		/** Stores every key. */
		@Setup
		public void fill() {
			this.requests = new Requests(this.keys, this.size);
			for (int i = 0; i < this.keys; i++) {
				store(i);
			}
			System.gc();
		}

		abstract void store(int index);

	}

	/** A machine with keys that do not expire. */
	public static class Store extends Keys {

		final StateMachine machine = Requests.newMachine();

		@Override
		void store(int index) {
			this.machine.apply(this.requests.set(index, Condition.ALWAYS, null));
		}

	}

	/** A machine with keys that expire. */
	public static class Leases extends Store {

		@Override
		void store(int index) {
			this.machine.apply(this.requests.set(index, Condition.ALWAYS, LEASE));
		}

	}

	/** The same keys and values in a map. */
	public static class Floor extends Keys {

		final Map<Bytes, byte[]> map = new HashMap<>();

		@Override
		void store(int index) {
			this.map.put(Requests.key(index), this.requests.value().toArray());
		}

	}

	/** As much memory as a store with the same number of keys. */
	public static class Memory extends Keys {

		static final int LONGS_PER_KEY = 32;

		long last;

		long[] memory = new long[0];

		@Override
		void store(int index) {
			if (index == 0) {
				this.memory = new long[this.keys * LONGS_PER_KEY];
			}
		}

	}

	/** A machine whose keys have all expired. */
	@State(Scope.Thread)
	public static class Expired {

		private static final long RANGE_MILLIS = TimeUnit.MINUTES.toMillis(10);

		/** Log time. */
		long nanos;

		final StateMachine machine = Requests.newMachine();

		/** Stores all keys, and advances the clock beyond their expiry. */
		@Setup(Level.Invocation)
		public void fill() {
			Requests requests = new Requests(MILLION, 100);
			requests.nanos = this.nanos;
			Requests deadlines = new Requests((int) RANGE_MILLIS, 0);
			for (int i = 0; i < MILLION; i++) {
				this.machine.apply(requests.set(i, Condition.ALWAYS, Duration.ofMillis(1 + deadlines.nextIndex())));
			}
			this.nanos += TimeUnit.MILLISECONDS.toNanos(RANGE_MILLIS + 1);
		}

	}

}
