package io.statestore.benchmarks;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.statestore.benchmarks.engine.EngineBenchmark;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Time of one operation and memory that it allocates, measured by JMH, and heap per key.
 * Each implementation runs in a process of its own under JMH, and all take turns in each
 * round.
 */
final class EngineScenarios {

	private static final String ALLOCATED = "gc.alloc.rate.norm";

	private static final int[] KEYS = { 1_000_000, 100_000, 10_000 };

	private EngineScenarios() {
	}

	/** Returns the scenario that compares the heap of the engine with that of a map. */
	static Scenario heap() {
		List<Peer> peers = new ArrayList<>();
		for (int keys : KEYS) {
			peers.add(heap("ours", keys, EngineBenchmark.Store::new));
		}
		peers.add(heap("HashMap", KEYS[0], EngineBenchmark.Floor::new));
		return new Scenario("engine: heap per key, value of 100 B", "B", peers);
	}

	private static Peer heap(String name, int keys, Supplier<EngineBenchmark.Keys> empty) {
		return new Peer(name(name, keys), (resources) -> () -> {
			long before = usedMemory();
			EngineBenchmark.Keys store = empty.get();
			store.keys = keys;
			store.size = 100;
			store.fill();
			long after = usedMemory();
			Reference.reachabilityFence(store);
			return (double) (after - before) / keys;
		});
	}

	private static long usedMemory() {
		System.gc();
		return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
	}

	private static String name(String who, int keys) {
		return String.format(Locale.ROOT, "%s, %,d keys", who, keys);
	}

	/**
	 * Measures the chosen scenarios.
	 * @param forks number of processes for each implementation
	 */
	static List<Result> measure(int forks, Predicate<String> chosen) throws RunnerException {
		List<Row> rows = new ArrayList<>();
		add(rows, "engine: GET, 100 B", "ours", "get", KEYS);
		add(rows, "engine: SET, 100 B", "ours", "set", KEYS);
		add(rows, "engine: SET, 100 B", "HashMap", "hashMapPut", KEYS);
		add(rows, "engine: renewal of a lease, 100 B", "ours", "renew", KEYS);
		add(rows, "engine: one read of memory", "256 B per key", "readMemory", KEYS);
		add(rows, "engine: expiry, per key", "ours", "expire", KEYS[0]);
		rows.removeIf((row) -> !chosen.test(row.scenario()));
		Map<Scenario, Map<String, List<Double>>> values = new LinkedHashMap<>();
		for (int fork = 0; fork < forks; fork++) {
			for (Row row : rows) {
				System.out.println(row.scenario() + ": " + row.who());
				run(row, values);
			}
		}
		List<Result> results = new ArrayList<>();
		values.forEach((scenario, peers) -> peers.forEach((name, rounds) -> results
			.add(new Result(scenario, name, rounds.stream().mapToDouble(Double::doubleValue).toArray()))));
		results.forEach((result) -> System.out.println(result.scenario().name() + result));
		return results;
	}

	private static void add(List<Row> rows, String scenario, String who, String benchmark, int... counts) {
		for (int keys : counts) {
			rows.add(new Row(scenario, name(who, keys), benchmark, keys));
		}
	}

	private static void run(Row row, Map<Scenario, Map<String, List<Double>>> values) throws RunnerException {
		ChainedOptionsBuilder options = new OptionsBuilder().include("EngineBenchmark." + row.benchmark() + "$")
			.forks(1)
			.jvmArgs("-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch")
			.addProfiler(GCProfiler.class)
			.verbosity(VerboseMode.SILENT)
			.warmupIterations(2)
			.warmupTime(TimeValue.milliseconds(500))
			.measurementIterations(4)
			.measurementTime(TimeValue.milliseconds(500))
			.param("keys", String.valueOf(row.keys()));
		for (BenchmarkResult result : new Runner(options.build()).runSingle().getBenchmarkResults()) {
			for (IterationResult iteration : result.getIterationResults()) {
				add(values, row, "", "ns", iteration.getPrimaryResult());
				add(values, row, ", allocated", "B", iteration.getSecondaryResults().get(ALLOCATED));
			}
		}
	}

	private static void add(Map<Scenario, Map<String, List<Double>>> values, Row row, String what, String unit,
			org.openjdk.jmh.results.@Nullable Result<?> value) {
		if (value != null) {
			values.computeIfAbsent(new Scenario(row.scenario() + what, unit, List.of()), (key) -> new LinkedHashMap<>())
				.computeIfAbsent(row.who(), (key) -> new ArrayList<>())
				.add(value.getScore());
		}
	}

	private record Row(String scenario, String who, String benchmark, int keys) {
	}

}
