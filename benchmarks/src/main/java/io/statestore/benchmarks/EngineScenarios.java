package io.statestore.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

import com.sun.management.ThreadMXBean;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.Quota;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Time of one operation with one thread and random existing keys, the memory that it
 * allocates, and heap per key. For comparison: the same keys and values in a HashMap, and
 * a single read of memory. The creation of a request is part of all other times.
 */
final class EngineScenarios {

	private static final int[] KEYS = { 1_000_000, 100_000, 10_000 };

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final int LONGS_PER_KEY = 32;

	private static final int BATCH = 1_000;

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	/** Receives results, so that the compiler keeps the operations. */
	private static volatile @Nullable Object sink;

	private EngineScenarios() {
	}

	static List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		addTimes(scenarios, "GET, 100 B", repeat("ours", (requests) -> {
			StateMachine machine = machine(requests, null);
			return (index) -> machine.read(requests.get(index));
		}));
		addTimes(scenarios, "SET, 100 B", repeat("ours", (requests) -> {
			StateMachine machine = machine(requests, null);
			return (index) -> machine.apply(requests.set(index, Condition.ALWAYS, null));
		}), repeat("HashMap", (requests) -> {
			Map<Bytes, byte[]> map = map(requests);
			return (index) -> {
				Command.Set command = (Command.Set) requests.set(index, Condition.ALWAYS, null).command();
				return map.put(command.key(), command.value().toArray());
			};
		}));
		addTimes(scenarios, "renewal of a lease, 100 B", repeat("ours", (requests) -> {
			StateMachine machine = machine(requests, LEASE);
			return (index) -> machine.apply(requests.set(index, Condition.IF_ABSENT_OR_EQUAL, LEASE));
		}));
		addTimes(scenarios, "one read of memory", repeat("256 B per key", (requests) -> {
			long[] memory = new long[requests.keys * LONGS_PER_KEY];
			long[] last = new long[1];
			// The address depends on the value read before, as in a search
			return (index) -> last[0] = memory[index * LONGS_PER_KEY + (int) last[0]];
		}));
		addTimes(scenarios, "expiry, per key", new Subject("ours", EngineScenarios::expire));
		scenarios.add(scenario("heap per key, value of 100 B", "B", EngineScenarios::usedMemory,
				fill("ours", (requests) -> machine(requests, null)), fill("HashMap", EngineScenarios::map)));
		return scenarios;
	}

	private static void addTimes(List<Scenario> scenarios, String name, Subject... subjects) {
		scenarios.add(scenario(name, "ns", System::nanoTime, subjects));
		scenarios.add(scenario(name + ", allocated", "B", THREADS::getCurrentThreadAllocatedBytes, subjects));
	}

	private static Scenario scenario(String name, String unit, LongSupplier meter, Subject... subjects) {
		List<Peer> peers = new ArrayList<>();
		for (Subject subject : subjects) {
			for (int keys : KEYS) {
				peers.add(new Peer(String.format(Locale.ROOT, "%s, %,d keys", subject.name(), keys),
						(resources) -> subject.opener().apply(new Requests(keys, 100), meter)));
			}
		}
		return new Scenario("engine: " + name, unit, peers);
	}

	private static StateMachine machine(Requests requests, @Nullable Duration expiry) {
		StateMachine machine = Requests.newMachine();
		for (int i = 0; i < requests.keys; i++) {
			machine.apply(requests.set(i, Condition.ALWAYS, expiry));
		}
		return machine;
	}

	private static Map<Bytes, byte[]> map(Requests requests) {
		Map<Bytes, byte[]> map = new HashMap<>();
		for (int i = 0; i < requests.keys; i++) {
			map.put(Requests.key(i), requests.value.toArray());
		}
		return map;
	}

	/** Returns a subject that repeats an operation on random keys. */
	private static Subject repeat(String name, Function<Requests, IntFunction<@Nullable Object>> fill) {
		return new Subject(name, (requests, meter) -> {
			IntFunction<@Nullable Object> operation = fill.apply(requests);
			System.gc();
			return () -> {
				int done = 0;
				long start = System.nanoTime();
				long before = meter.getAsLong();
				while (System.nanoTime() - start < Measures.ROUND_NANOS) {
					for (int i = 0; i < BATCH; i++) {
						sink = operation.apply(requests.nextIndex());
					}
					done += BATCH;
				}
				return (double) (meter.getAsLong() - before) / done;
			};
		});
	}

	/** Removes keys that have expired within ten minutes. */
	private static Callable<Double> expire(Requests requests, LongSupplier meter) {
		StateMachine machine = Requests.newMachine();
		Requests deadlines = new Requests((int) Duration.ofMinutes(10).toMillis(), 0);
		return () -> {
			for (int i = 0; i < requests.keys; i++) {
				machine.apply(requests.set(i, Condition.ALWAYS, Duration.ofMillis(1 + deadlines.nextIndex())));
			}
			requests.nanos += Duration.ofMinutes(11).toNanos();
			long before = meter.getAsLong();
			// A server would execute requests between batches
			while (machine.nextDeadline() <= requests.nanos) {
				List<Bytes> keys = machine.due(requests.nanos, LogEntry.Expire.MAX_KEYS);
				machine.apply(new LogEntry.Expire(requests.nanos, System.currentTimeMillis(), null, keys));
			}
			return (double) (meter.getAsLong() - before) / requests.keys;
		};
	}

	/** Returns a subject that fills a store. */
	private static Subject fill(String name, Function<Requests, Object> fill) {
		return new Subject(name, (requests, meter) -> () -> {
			long before = meter.getAsLong();
			Object store = fill.apply(requests);
			long after = meter.getAsLong();
			Reference.reachabilityFence(store);
			return (double) (after - before) / requests.keys;
		});
	}

	private static long usedMemory() {
		System.gc();
		return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
	}

	/**
	 * An implementation of an operation.
	 *
	 * @param name name in the report
	 * @param opener fills a store, and returns the measurement by a meter
	 */
	private record Subject(String name, BiFunction<Requests, LongSupplier, Callable<Double>> opener) {
	}

	/**
	 * Requests for random keys. A request is new and in the processor's cache, as if it
	 * had just been read from the network; only the store is not in the cache. The value
	 * is a part of a larger message, so that a store must copy it.
	 */
	static final class Requests {

		private static final byte[] KEY = "benchmark/key/00000000".getBytes(StandardCharsets.US_ASCII);

		private static final Bytes CORRELATION_DATA = Bytes.wrap(new byte[16]);

		/** Number of keys. */
		final int keys;

		final Bytes value;

		private final String timestamp;

		/** Log time of the next request. */
		long nanos;

		private long random = 0x9E3779B97F4A7C15L;

		Requests(int keys, int size) {
			this.keys = keys;
			this.value = Bytes.wrap(new byte[size + 32]).slice(16, size + 16);
			this.timestamp = new Version(System.currentTimeMillis(), 0, "benchmark").toPaddedString();
		}

		/**
		 * Returns a random index below the number of keys, in the same sequence in every
		 * run (xorshift; Marsaglia 2003).
		 */
		int nextIndex() {
			this.random ^= this.random << 13;
			this.random ^= this.random >>> 7;
			this.random ^= this.random << 17;
			return (int) (((this.random >>> 32) * this.keys) >>> 32);
		}

		static Bytes key(int index) {
			byte[] key = KEY.clone();
			for (int i = key.length - 1, rest = index; rest > 0; i--, rest /= 10) {
				key[i] = (byte) ('0' + rest % 10);
			}
			return Bytes.wrap(key);
		}

		LogEntry.Write set(int index, Condition condition, @Nullable Duration expiry) {
			Command.Set command = new Command.Set(key(index), this.value, condition, expiry);
			return new LogEntry.Write(this.nanos, System.currentTimeMillis(), null, command, this.timestamp, null,
					"benchmark", CORRELATION_DATA, 0, null, false);
		}

		Command.Get get(int index) {
			return new Command.Get(key(index));
		}

		/** Returns a machine without limits that remembers no answers. */
		static StateMachine newMachine() {
			StateMachine machine = new StateMachine((key, value, version, author) -> {
			});
			machine.apply(new LogEntry.Start(0, System.currentTimeMillis(), null, 1, Quota.UNLIMITED, 0, null, true));
			return machine;
		}

	}

}
