package io.statestore.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

import com.sun.management.ThreadMXBean;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
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

	private static final long ROUND_NANOS = 500_000_000;

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	/** Receives results, so that the compiler keeps the operations. */
	private static volatile @Nullable Object sink;

	private EngineScenarios() {
	}

	static List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		Subject get = repeat((requests) -> {
			StateMachine machine = machine(requests, null);
			return (index) -> machine.read(requests.get(index));
		});
		Subject set = repeat((requests) -> {
			StateMachine machine = machine(requests, null);
			return (index) -> machine.apply(requests.set(index, Condition.ALWAYS, null));
		});
		Subject put = repeat((requests) -> {
			Map<Bytes, byte[]> map = map(requests);
			return (index) -> {
				Command.Set command = (Command.Set) requests.set(index, Condition.ALWAYS, null).command();
				return map.put(command.key(), command.value().toArray());
			};
		});
		Subject renew = repeat((requests) -> {
			StateMachine machine = machine(requests, LEASE);
			return (index) -> machine.apply(requests.set(index, Condition.IF_ABSENT_OR_EQUAL, LEASE));
		});
		Subject read = repeat((requests) -> {
			long[] memory = new long[requests.keys * LONGS_PER_KEY];
			long[] last = new long[1];
			// The address depends on the value read before, as in a search
			return (index) -> last[0] = memory[index * LONGS_PER_KEY + (int) last[0]];
		});
		add(scenarios, "GET, 100 B", List.of(Map.entry("ours", get)));
		add(scenarios, "SET, 100 B", List.of(Map.entry("ours", set), Map.entry("HashMap", put)));
		add(scenarios, "renewal of a lease, 100 B", List.of(Map.entry("ours", renew)));
		add(scenarios, "one read of memory", List.of(Map.entry("256 B per key", read)));
		add(scenarios, "expiry, per key", List.of(Map.<String, Subject>entry("ours", EngineScenarios::expire)));
		add(scenarios, "heap per key, value of 100 B",
				List.of(Map.entry("ours", heap((requests) -> machine(requests, null))),
						Map.entry("HashMap", heap(EngineScenarios::map))));
		return scenarios;
	}

	private static void add(List<Scenario> scenarios, String name, List<Map.Entry<String, Subject>> subjects) {
		boolean heap = name.startsWith("heap");
		scenarios.add(new Scenario("engine: " + name, heap ? "B" : "ns", peers(subjects, System::nanoTime)));
		if (!heap) {
			scenarios.add(new Scenario("engine: " + name + ", allocated", "B",
					peers(subjects, THREADS::getCurrentThreadAllocatedBytes)));
		}
	}

	private static List<Peer> peers(List<Map.Entry<String, Subject>> subjects, LongSupplier meter) {
		List<Peer> peers = new ArrayList<>();
		for (Map.Entry<String, Subject> subject : subjects) {
			for (int keys : KEYS) {
				peers.add(new Peer(String.format(Locale.ROOT, "%s, %,d keys", subject.getKey(), keys),
						(resources) -> subject.getValue().open(new Requests(keys, 100), meter)));
			}
		}
		return peers;
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
			map.put(Requests.key(i), requests.value().toArray());
		}
		return map;
	}

	/** Returns a subject that repeats an operation on random keys. */
	private static Subject repeat(Function<Requests, IntFunction<@Nullable Object>> fill) {
		return (requests, meter) -> {
			IntFunction<@Nullable Object> operation = fill.apply(requests);
			System.gc();
			return () -> {
				int done = 0;
				long start = System.nanoTime();
				long before = meter.getAsLong();
				while (System.nanoTime() - start < ROUND_NANOS) {
					for (int i = 0; i < BATCH; i++) {
						sink = operation.apply(requests.nextIndex());
					}
					done += BATCH;
				}
				return (double) (meter.getAsLong() - before) / done;
			};
		};
	}

	/** Removes keys that have expired within ten minutes. */
	private static Peer.Round expire(Requests requests, LongSupplier meter) {
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

	/** Returns a subject that measures the heap of a store, without a meter. */
	private static Subject heap(Function<Requests, Object> fill) {
		return (requests, meter) -> () -> {
			long before = usedMemory();
			Object store = fill.apply(requests);
			long after = usedMemory();
			Reference.reachabilityFence(store);
			return (double) (after - before) / requests.keys;
		};
	}

	private static long usedMemory() {
		System.gc();
		return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
	}

	/** Fills a store, and returns the measurement. */
	@FunctionalInterface
	private interface Subject {

		Peer.Round open(Requests requests, LongSupplier meter) throws Exception;

	}

}
