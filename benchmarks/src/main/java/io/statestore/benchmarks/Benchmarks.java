package io.statestore.benchmarks;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

import io.statestore.benchmarks.engine.EngineMemory;
import io.statestore.benchmarks.engine.EngineTimes;

/**
 * Runs the scenarios: {@code quick} or {@code full}, then part of a name. Or
 * {@code builds}, then the executable JAR of an earlier standalone broker, to compare it
 * with this build.
 */
public final class Benchmarks {

	/** What a quick run has unless a part is named. */
	private static final Set<String> QUICK = Set.of("engine: SET, 100 B", "sequential GET, 100 B",
			"GET, 100 B, 256 in flight", "notification, from SET to the listener, 100 B",
			"lock and unlock, uncontended",
			"hand-over of a lock to another process, from unlock() to the end of lock()",
			"Dafka, producer to consumer, 100 B");

	private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

	private final int rounds;

	private final int mostWarmUpRounds;

	private final String name;

	private final List<Result> results = new ArrayList<>();

	private final List<String> failed = new ArrayList<>();

	private final double loadBefore = load();

	private Benchmarks(int rounds, int mostWarmUpRounds, String name) {
		this.rounds = rounds;
		this.mostWarmUpRounds = mostWarmUpRounds;
		this.name = name;
	}

	public static void main(String[] args) throws Exception {
		if (args.length > 0 && args[0].equals("builds")) {
			compareBuilds(Path.of((args.length > 1) ? args[1] : "").toAbsolutePath());
			System.exit(0);
		}
		boolean quick = args.length == 0 || !args[0].equals("full");
		String part = (args.length > 1) ? args[1].toLowerCase(Locale.ROOT) : "";
		Benchmarks benchmarks = quick ? new Benchmarks(3, 6, "quick") : new Benchmarks(5, 12, "full");
		Predicate<String> chosen = (quick && part.isEmpty()) ? QUICK::contains
				: (name) -> name.toLowerCase(Locale.ROOT).contains(part);
		// First, while nothing else runs in this process.
		benchmarks.results.addAll(EngineTimes.measure(quick, chosen));
		try (Servers servers = new Servers()) {
			List<Scenario> scenarios = new ArrayList<>();
			scenarios.add(EngineMemory.scenario());
			scenarios.addAll(new CallScenarios(servers, quick).all());
			scenarios.addAll(new NotificationScenarios(servers, quick).all());
			scenarios.addAll(new LockScenarios(servers, quick).all());
			scenarios.addAll(new DafkaScenarios(quick).all());
			scenarios.addAll(new StartUpScenarios(servers).all());
			for (Scenario scenario : scenarios) {
				if (chosen.test(scenario.name())) {
					benchmarks.runOrReport(scenario);
				}
			}
		}
		Report report = new Report(benchmarks.results, benchmarks.describeRun());
		report.write(Path.of("benchmarks/results"), benchmarks.name);
		System.exit(0);
	}

	private static void compareBuilds(Path earlier) throws Exception {
		if (!Files.isRegularFile(earlier)) {
			throw new IllegalArgumentException(
					"No file " + earlier + "; after 'builds', name the executable JAR of an earlier standalone broker");
		}
		Benchmarks benchmarks = new Benchmarks(25, 12, "builds");
		try (Servers servers = new Servers()) {
			List<Scenario> scenarios = new ArrayList<>(new CallScenarios(servers, true).builds(earlier));
			scenarios.addAll(new NotificationScenarios(servers, true).builds(earlier));
			scenarios.forEach(benchmarks::runOrReport);
		}
		new Report(benchmarks.results, benchmarks.describeRun()).write(Path.of("benchmarks/results"), "builds");
	}

	/** One that fails must not take the results of an hour with it. */
	private void runOrReport(Scenario scenario) {
		System.out.printf(Locale.ROOT, "%n%tT %s (%s)%n", LocalTime.now(), scenario.name(), scenario.unit());
		try {
			run(scenario);
		}
		catch (Exception ex) {
			ex.printStackTrace();
			this.failed.add(scenario.name());
		}
	}

	private void run(Scenario scenario) throws Exception {
		List<Contestant> contestants = new ArrayList<>();
		try {
			for (Contestant.Factory factory : scenario.contestants()) {
				contestants.add(factory.open());
			}
			warmUp(contestants);
			double[][] values = new double[contestants.size()][this.rounds];
			for (int round = 0; round < this.rounds; round++) {
				for (int i = 0; i < values.length; i++) {
					values[i][round] = contestants.get(i).measure();
				}
			}
			for (int i = 0; i < values.length; i++) {
				Result result = new Result(scenario, contestants.get(i).name(), values[i]);
				this.results.add(result);
				System.out.println(result);
			}
		}
		finally {
			for (Contestant contestant : contestants) {
				contestant.close();
			}
		}
	}

	/**
	 * At least two rounds, and more while the compiler takes processor time that is then
	 * missing where we measure.
	 */
	private void warmUp(List<Contestant> contestants) throws Exception {
		double busy = 1;
		for (int round = 0; round < 2 || (round < this.mostWarmUpRounds && busy > 0.1); round++) {
			long start = System.nanoTime();
			long compiled = COMPILER.getTotalCompilationTime();
			for (Contestant contestant : contestants) {
				contestant.measure();
			}
			busy = (COMPILER.getTotalCompilationTime() - compiled) * 1e6 / (System.nanoTime() - start);
		}
	}

	/** Where this ran, and whether something else did. */
	private String describeRun() {
		int processors = Runtime.getRuntime().availableProcessors();
		double load = load();
		String description = String.format(Locale.ROOT,
				"Java %s, %d processors, %s, load %.1f before and %.1f at the end", Runtime.version(), processors,
				this.name, this.loadBefore, load);
		if (!this.failed.isEmpty()) {
			description += ". **Failed: " + String.join("; ", this.failed) + "**";
		}
		// The measurement itself keeps about all processors busy, and the build before it
		// some.
		return (this.loadBefore > 0.75 * processors || load > 2.5 * processors)
				? description + ". **The machine was busy: do not trust this**" : description;
	}

	private static double load() {
		return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
	}

}
