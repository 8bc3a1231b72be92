package io.statestore.benchmarks.engine;

import java.time.Duration;
import java.util.HashMap;
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
import org.openjdk.jmh.annotations.Mode;
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
		LogEntry.Write entry = floor.requests.set(floor.requests.nextIndex(), Condition.ALWAYS, null);
		Command.Set set = (Command.Set) entry.command();
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

	/** A machine with keys that do not expire. */
	@State(Scope.Thread)
	public static class Store {

		/** Number of keys. */
		@Param({ "10000", "100000", "1000000" })
		public int keys;

		/** Size of a value in bytes. */
		@Param({ "100" })
		public int size;

		Requests requests = new Requests(1, 0);

		StateMachine machine = Requests.newMachine();

		@Nullable Duration expiry() {
			return null;
		}

		/** Stores every key. */
		@Setup
		public void fill() {
			this.requests = new Requests(this.keys, this.size);
			for (int i = 0; i < this.keys; i++) {
				this.machine.apply(this.requests.set(i, Condition.ALWAYS, expiry()));
			}
			System.gc();
		}

	}

	/** A machine with keys that expire. */
	public static class Leases extends Store {

		@Override
		Duration expiry() {
			return LEASE;
		}

	}

	/** The same keys and values in a map. */
	@State(Scope.Thread)
	public static class Floor {

		/** Number of keys. */
		@Param({ "10000", "100000", "1000000" })
		public int keys;

		/** Size of a value in bytes. */
		@Param({ "100" })
		public int size;

		Requests requests = new Requests(1, 0);

		final Map<Bytes, byte[]> map = new HashMap<>();

		/** Stores every key. */
		@Setup
		public void fill() {
			this.requests = new Requests(this.keys, this.size);
			for (int i = 0; i < this.keys; i++) {
				this.map.put(Requests.key(i), this.requests.value().toArray());
			}
			System.gc();
		}

	}

	/** As much memory as a store with the same number of keys. */
	@State(Scope.Thread)
	public static class Memory {

		static final int LONGS_PER_KEY = 32;

		/** Number of keys. */
		@Param({ "10000", "100000", "1000000" })
		public int keys;

		long last;

		Requests requests = new Requests(1, 0);

		long[] memory = new long[0];

		/** Allocates the memory. */
		@Setup
		public void fill() {
			this.requests = new Requests(this.keys, 0);
			this.memory = new long[this.keys * LONGS_PER_KEY];
		}

	}

}
