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
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * Runs the scenarios. The arguments are {@code quick} or {@code full} and optionally a
 * part of the names of the scenarios to run. {@code durability} instead compares stores
 * that keep data on disk, and {@code security} measures the cost of TLS and rules and the
 * effect of attacks. {@code cluster} compares three nodes with three members of etcd.
 * These accept the same second argument. {@code builds} and the executable JAR of an
 * earlier standalone broker compare that build with this one. {@code messages} compares
 * ordinary messages with Mosquitto, and {@code fairness} measures SETs beside them.
 */
public final class Benchmarks {

	/** Scenarios of a quick run if no name filter is given. */
	private static final Set<String> QUICK = Set.of("engine: SET, 100 B", "sequential GET, 100 B",
			"GET, 100 B, 256 in flight", "notification, from SET to the listener, 100 B",
			"lock and unlock, uncontended",
			"hand-over of a lock to another process, from unlock() to the end of lock()",
			"Dafka, producer to consumer, 100 B");

	/** Number of times that the leader of a cluster is killed. */
	private static final int FAILOVERS = 50;

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
		if (args.length > 0 && args[0].equals("durability")) {
			measureDurability((args.length > 1) ? args[1].toLowerCase(Locale.ROOT) : "");
			System.exit(0);
		}
		if (args.length > 0 && args[0].equals("messages")) {
			measureMessages((args.length > 1) ? Path.of(args[1]).toAbsolutePath() : null);
			System.exit(0);
		}
		if (args.length > 0 && args[0].equals("fairness")) {
			measureFairness();
			System.exit(0);
		}
		if (args.length > 0 && args[0].equals("security")) {
			measureSecurity((args.length > 1) ? args[1].toLowerCase(Locale.ROOT) : "");
			System.exit(0);
		}
		if (args.length > 0 && args[0].equals("cluster")) {
			measureCluster((args.length > 1) ? args[1].toLowerCase(Locale.ROOT) : "",
					(args.length > 2) ? Integer.parseInt(args[2]) : FAILOVERS);
			System.exit(0);
		}
		boolean quick = args.length == 0 || !args[0].equals("full");
		String part = (args.length > 1) ? args[1].toLowerCase(Locale.ROOT) : "";
		Benchmarks benchmarks = quick ? new Benchmarks(3, 6, "quick") : new Benchmarks(5, 12, "full");
		Predicate<String> chosen = (quick && part.isEmpty()) ? QUICK::contains
				: (name) -> name.toLowerCase(Locale.ROOT).contains(part);
		// Runs first, while nothing else runs in this process
		benchmarks.results.addAll(EngineTimes.measure(quick, chosen));
		try (Servers servers = new Servers(); HistoryScenarios history = new HistoryScenarios()) {
			List<Scenario> scenarios = new ArrayList<>();
			scenarios.add(EngineMemory.scenario());
			scenarios.addAll(new CallScenarios(servers, quick).all());
			scenarios.addAll(new NotificationScenarios(servers, quick).all());
			scenarios.addAll(new LockScenarios(servers, quick).all());
			scenarios.addAll(new CacheScenarios(servers, quick).all());
			scenarios.addAll(new DafkaScenarios(quick).all());
			scenarios.addAll(history.all());
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
					"No file " + earlier + ". After 'builds', name the executable JAR of an earlier standalone broker");
		}
		Benchmarks benchmarks = new Benchmarks(25, 12, "builds");
		// In the directory of the build, because /tmp may be in memory
		Path directory = Files.createTempDirectory(Files.createDirectories(Path.of("benchmarks/target")), "builds");
		try (Servers servers = new Servers()) {
			List<Scenario> scenarios = new ArrayList<>(new CallScenarios(servers, true).builds(earlier, directory));
			scenarios.addAll(new NotificationScenarios(servers, true).builds(earlier));
			scenarios.forEach(benchmarks::runOrReport);
		}
		try (ClusterScenarios nodes = new ClusterScenarios(directory, earlier)) {
			nodes.builds().forEach(benchmarks::runOrReport);
		}
		finally {
			FileSystemUtils.deleteRecursively(directory);
		}
		new Report(benchmarks.results, benchmarks.describeRun()).write(Path.of("benchmarks/results"), "builds");
	}

	private static void measureDurability(String part) throws Exception {
		Benchmarks benchmarks = new Benchmarks(9, 12, "durability");
		// In the directory of the build, because /tmp may be in memory
		Path directory = Files.createTempDirectory(Files.createDirectories(Path.of("benchmarks/target")), "durability");
		try (DurabilityScenarios calls = new DurabilityScenarios(directory)) {
			List<Scenario> scenarios = new ArrayList<>(calls.all());
			scenarios.addAll(new RecoveryScenarios(directory).all());
			for (Scenario scenario : scenarios) {
				if (scenario.name().toLowerCase(Locale.ROOT).contains(part)) {
					benchmarks.runOrReport(scenario);
				}
			}
		}
		finally {
			FileSystemUtils.deleteRecursively(directory);
		}
		new Report(benchmarks.results, benchmarks.describeRun()).write(Path.of("benchmarks/results"), "durability");
	}

	private static void measureMessages(@Nullable Path earlier) throws Exception {
		Benchmarks benchmarks = new Benchmarks(5, 12, "messages");
		// In the directory of the build, because /tmp may be in memory
		Path directory = Files.createTempDirectory(Files.createDirectories(Path.of("benchmarks/target")), "messages");
		try (MessageScenarios scenarios = new MessageScenarios(directory, earlier)) {
			scenarios.all().forEach(benchmarks::runOrReport);
		}
		finally {
			FileSystemUtils.deleteRecursively(directory);
		}
		new Report(benchmarks.results, benchmarks.describeRun()).write(Path.of("benchmarks/results"), "messages");
	}

	private static void measureFairness() throws Exception {
		Benchmarks benchmarks = new Benchmarks(9, 12, "fairness");
		// In the directory of the build, because /tmp may be in memory
		Path directory = Files.createTempDirectory(Files.createDirectories(Path.of("benchmarks/target")), "fairness");
		try (DurabilityScenarios servers = new DurabilityScenarios(directory)) {
			new FairnessScenarios(servers).all().forEach(benchmarks::runOrReport);
		}
		finally {
			FileSystemUtils.deleteRecursively(directory);
		}
		new Report(benchmarks.results, benchmarks.describeRun()).write(Path.of("benchmarks/results"), "fairness");
	}

	private static void measureSecurity(String part) throws Exception {
		Benchmarks benchmarks = new Benchmarks(9, 12, "security");
		Path directory = Files.createTempDirectory("security");
		try (SecurityScenarios costs = new SecurityScenarios(directory);
				AttackScenarios attacks = new AttackScenarios(directory)) {
			List<Scenario> scenarios = new ArrayList<>(costs.all());
			scenarios.addAll(attacks.all());
			for (Scenario scenario : scenarios) {
				if (scenario.name().toLowerCase(Locale.ROOT).contains(part)) {
					benchmarks.runOrReport(scenario);
				}
			}
		}
		finally {
			FileSystemUtils.deleteRecursively(directory);
		}
		new Report(benchmarks.results, benchmarks.describeRun()).write(Path.of("benchmarks/results"), "security");
	}

	private static void measureCluster(String part, int failovers) throws Exception {
		if (!EtcdMembers.isInstalled()) {
			System.out.println("etcd is not installed, so only this store is measured");
		}
		Benchmarks benchmarks = new Benchmarks(9, 12, "cluster");
		// In the directory of the build, because /tmp may be in memory
		Path directory = Files.createTempDirectory(Files.createDirectories(Path.of("benchmarks/target")), "cluster");
		try (ClusterScenarios scenarios = new ClusterScenarios(directory)) {
			for (Scenario scenario : scenarios.calls()) {
				if (scenario.name().toLowerCase(Locale.ROOT).contains(part)) {
					benchmarks.runOrReport(scenario);
				}
			}
			Scenario failover = scenarios.failover();
			if (failover.name().toLowerCase(Locale.ROOT).contains(part)) {
				Benchmarks kills = new Benchmarks(failovers, 2, "cluster");
				kills.runOrReport(failover);
				benchmarks.results.addAll(kills.results);
				benchmarks.failed.addAll(kills.failed);
			}
		}
		finally {
			FileSystemUtils.deleteRecursively(directory);
		}
		new Report(benchmarks.results, benchmarks.describeRun()).write(Path.of("benchmarks/results"), "cluster");
	}

	/** Runs a scenario. A failure is reported at the end and keeps other results. */
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
		List<Implementation> implementations = new ArrayList<>();
		try {
			for (Implementation.Factory factory : scenario.implementations()) {
				implementations.add(factory.open());
			}
			warmUp(implementations);
			double[][] values = new double[implementations.size()][this.rounds];
			for (int round = 0; round < this.rounds; round++) {
				for (int i = 0; i < values.length; i++) {
					values[i][round] = implementations.get(i).measure();
				}
			}
			for (int i = 0; i < values.length; i++) {
				Result result = new Result(scenario, implementations.get(i).name(), values[i]);
				this.results.add(result);
				System.out.println(result);
			}
		}
		finally {
			for (Implementation implementation : implementations) {
				implementation.close();
			}
		}
	}

	/**
	 * Runs at least two rounds, and more while the compiler still uses processor time
	 * that would be missing in the measurement.
	 */
	private void warmUp(List<Implementation> implementations) throws Exception {
		double busy = 1;
		for (int round = 0; round < 2 || (round < this.mostWarmUpRounds && busy > 0.1); round++) {
			long start = System.nanoTime();
			long compiled = COMPILER.getTotalCompilationTime();
			for (Implementation implementation : implementations) {
				implementation.measure();
			}
			busy = (COMPILER.getTotalCompilationTime() - compiled) * 1e6 / (System.nanoTime() - start);
		}
	}

	/** Describes the machine, and whether other processes kept it busy. */
	private String describeRun() {
		int processors = Runtime.getRuntime().availableProcessors();
		double load = load();
		String description = String.format(Locale.ROOT,
				"Java %s, %d processors, %s, load %.1f before and %.1f at the end", Runtime.version(), processors,
				this.name, this.loadBefore, load);
		if (!this.failed.isEmpty()) {
			description += ". **Failed: " + String.join("; ", this.failed) + "**";
		}
		// The measurement keeps about all processors busy, and the build before it some
		return (this.loadBefore > 0.75 * processors || load > 2.5 * processors)
				? description + ". **The machine was busy: these results are unreliable**" : description;
	}

	private static double load() {
		return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
	}

}
