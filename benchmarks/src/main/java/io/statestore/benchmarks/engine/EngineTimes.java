package io.statestore.benchmarks.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

import io.statestore.benchmarks.Result;
import io.statestore.benchmarks.Scenario;
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
 * Time of one operation and memory that it allocates, measured by JMH. Each
 * implementation runs in a process of its own, and all take turns in each round.
 */
public final class EngineTimes {

	private static final String ALLOCATED = "gc.alloc.rate.norm";

	private static final int MILLION = 1_000_000;

	private final boolean quick;

	/** Values of each implementation. Both maps have the order of the table. */
	private final Map<Scenario, Map<String, List<Double>>> values = new LinkedHashMap<>();

	private EngineTimes(boolean quick) {
		this.quick = quick;
	}

	/**
	 * Measures the chosen scenarios.
	 * @param quick whether to run fewer and shorter rounds
	 * @param chosen predicate of the names of the scenarios to run
	 * @return the results
	 * @throws RunnerException if JMH fails
	 */
	public static List<Result> measure(boolean quick, Predicate<String> chosen) throws RunnerException {
		EngineTimes times = new EngineTimes(quick);
		List<Row> rows = times.rows().stream().filter((row) -> chosen.test(row.scenario())).toList();
		for (int round = 0; round < (quick ? 1 : 2); round++) {
			for (Row row : rows) {
				System.out.println(row.scenario() + ": " + row.implementation());
				times.run(row);
			}
		}
		List<Result> results = times.toResults();
		results.forEach((result) -> System.out.println(result.scenario().name() + result));
		return results;
	}

	private List<Row> rows() {
		List<Row> rows = new ArrayList<>();
		List<Integer> counts = this.quick ? List.of(MILLION, 10_000) : List.of(MILLION, 100_000, 10_000);
		counts.forEach((keys) -> rows.add(new Row("engine: GET, 100 B", "ours", "EngineBenchmark.get", keys, 100)));
		List.of(MILLION, 100_000, 10_000)
			.forEach((keys) -> rows.add(new Row("engine: SET, 100 B", "ours", "EngineBenchmark.set", keys, 100)));
		counts.forEach(
				(keys) -> rows.add(new Row("engine: SET, 100 B", "HashMap", "EngineBenchmark.hashMapPut", keys, 100)));
		counts.forEach((keys) -> rows
			.add(new Row("engine: renewal of a lease, 100 B", "ours", "EngineBenchmark.renew", keys, 100)));
		if (!this.quick) {
			List.of(100_000, 10_000)
				.forEach((keys) -> rows.add(new Row("engine: SET, 4096 B", "ours", "EngineBenchmark.set", keys, 4096)));
		}
		counts.forEach((keys) -> rows
			.add(new Row("engine: one read of memory", "256 B per key", "EngineBenchmark.readMemory", keys, 100)));
		rows.add(new Row("engine: expiry, per key", "ours", "ExpiryBenchmark.expire", MILLION, 100));
		return rows;
	}

	private void run(Row row) throws RunnerException {
		ChainedOptionsBuilder options = new OptionsBuilder().include(row.benchmark() + "$")
			.forks(1)
			.jvmArgs("-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch")
			.addProfiler(GCProfiler.class)
			.verbosity(VerboseMode.SILENT)
			.warmupIterations(this.quick ? 1 : 2)
			.warmupTime(TimeValue.milliseconds(500))
			.measurementIterations(this.quick ? 3 : 4)
			.measurementTime(TimeValue.milliseconds(this.quick ? 250 : 500));
		if (row.benchmark().startsWith("EngineBenchmark")) {
			options.param("keys", String.valueOf(row.keys()));
			if (!row.benchmark().endsWith("readMemory")) {
				options.param("size", String.valueOf(row.size()));
			}
		}
		for (BenchmarkResult result : new Runner(options.build()).runSingle().getBenchmarkResults()) {
			for (IterationResult iteration : result.getIterationResults()) {
				add(row, "", "ns", iteration.getPrimaryResult().getScore());
				org.openjdk.jmh.results.Result<?> allocated = iteration.getSecondaryResults().get(ALLOCATED);
				if (allocated != null) {
					add(row, ", allocated", "B", allocated.getScore());
				}
			}
		}
	}

	private void add(Row row, String what, String unit, double value) {
		this.values
			.computeIfAbsent(new Scenario(row.scenario() + what, unit, List.of()), (key) -> new LinkedHashMap<>())
			.computeIfAbsent(row.implementation(), (key) -> new ArrayList<>())
			.add(value);
	}

	private List<Result> toResults() {
		List<Result> results = new ArrayList<>();
		this.values.forEach((scenario, implementations) -> implementations.forEach((name, rounds) -> results
			.add(new Result(scenario, name, rounds.stream().mapToDouble(Double::doubleValue).toArray()))));
		return results;
	}

	private record Row(String scenario, String who, String benchmark, int keys, int size) {

		String implementation() {
			return String.format(Locale.ROOT, "%s, %,d keys", this.who, this.keys);
		}

	}

}
