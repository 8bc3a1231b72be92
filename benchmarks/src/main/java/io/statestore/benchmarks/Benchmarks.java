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

/**
 * Runs the scenarios of a suite. The arguments are the name of the suite and either a
 * part of the names of the scenarios to run or, for {@code builds} and {@code messages},
 * the executable JAR of an earlier standalone broker. A third argument of {@code cluster}
 * is the number of failovers. The system property {@code rounds} replaces the number of
 * rounds.
 */
public final class Benchmarks {

	/** Scenarios of a quick run if no name filter is given. */
	private static final Set<String> QUICK = Set.of("engine: SET, 100 B", "engine: SET, 100 B, allocated",
			"sequential GET, 100 B", "GET, 100 B, 256 in flight", "notification, from SET to the listener, 100 B",
			"lock and unlock, uncontended",
			"hand-over of a lock to another process, from unlock() to the end of lock()",
			"Dafka, producer to consumer, 100 B");

	private static final int MAX_WARM_UP_ROUNDS = 12;

	private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

	private final List<Result> results = new ArrayList<>();

	private final List<String> failed = new ArrayList<>();

	private final double loadBefore = load();

	private final String suite;

	private final int rounds;

	private Benchmarks(String suite) {
		this.suite = suite;
		this.rounds = Integer.getInteger("rounds", switch (suite) {
			case "quick" -> 3;
			case "full", "messages" -> 5;
			case "builds" -> 25;
			default -> 9;
		});
	}

	public static void main(String[] args) throws Exception {
		String suite = (args.length > 0) ? args[0] : "quick";
		String argument = (args.length > 1) ? args[1] : "";
		new Benchmarks(suite).run(argument, Integer.parseInt((args.length > 2) ? args[2] : "50"));
		System.exit(0);
	}

	private void run(String argument, int failovers) throws Exception {
		String earlier = null;
		Predicate<String> chosen = (name) -> name.toLowerCase(Locale.ROOT).contains(argument.toLowerCase(Locale.ROOT));
		if (this.suite.equals("builds") || this.suite.equals("messages") && !argument.isEmpty()) {
			earlier = Path.of(argument).toAbsolutePath().toString();
			if (!Files.isRegularFile(Path.of(earlier))) {
				throw new IllegalArgumentException(
						"No file " + earlier + ". Name the executable JAR of an earlier standalone broker");
			}
			chosen = (name) -> true;
		}
		else if (this.suite.equals("quick") && argument.isEmpty()) {
			chosen = QUICK::contains;
		}
		try (Servers servers = new Servers(earlier)) {
			for (Scenario scenario : scenarios(servers, failovers)) {
				if (chosen.test(scenario.name())) {
					runOrReport(scenario);
				}
			}
		}
		new Report(this.results, describeRun()).write(Path.of("benchmarks/results"), this.suite);
	}

	private List<Scenario> scenarios(Servers servers, int failovers) throws Exception {
		List<Scenario> scenarios = new ArrayList<>();
		switch (this.suite) {
			case "quick", "full" -> {
				// Runs first, while nothing else runs in this process
				scenarios.addAll(EngineScenarios.all());
				scenarios.addAll(CallScenarios.all(servers));
				scenarios.addAll(NotificationScenarios.all(servers));
				scenarios.addAll(LockScenarios.all(servers));
				scenarios.addAll(CacheScenarios.all(servers));
				scenarios.addAll(DafkaScenarios.all());
				scenarios.addAll(HistoryScenarios.all(servers));
				scenarios.add(StartUp.scenario(servers));
			}
			case "builds" -> {
				scenarios.addAll(CallScenarios.builds(servers));
				scenarios.addAll(new ClusterScenarios(servers).calls());
			}
			case "durability" -> {
				scenarios.addAll(DurabilityScenarios.all(servers));
				scenarios.addAll(new RecoveryScenarios(servers).all());
			}
			case "messages" -> scenarios.addAll(new MessageScenarios(servers).all());
			case "fairness" -> scenarios.addAll(FairnessScenarios.all(servers));
			case "security" -> scenarios.addAll(new SecurityScenarios(servers).all());
			case "cluster" -> {
				ClusterScenarios cluster = new ClusterScenarios(servers);
				scenarios.addAll(cluster.calls());
				scenarios.add(cluster.history());
				scenarios.add(cluster.failover(failovers));
			}
			default -> throw new IllegalArgumentException("Unknown suite '" + this.suite
					+ "'; valid are quick, full, builds, durability, messages, fairness, security, and cluster");
		}
		return scenarios;
	}

	/** Runs a scenario. A failure is reported at the end and keeps other results. */
	private void runOrReport(Scenario scenario) {
		System.out.printf(Locale.ROOT, "%n%tT %s (%s)%n", LocalTime.now(), scenario.name(), scenario.unit());
		try (Resources resources = new Resources()) {
			List<Peer.Round> peers = new ArrayList<>();
			for (Peer peer : scenario.peers()) {
				peers.add(peer.opener().open(resources));
			}
			int rounds = (scenario.rounds() > 0) ? scenario.rounds() : this.rounds;
			warmUp(peers, (scenario.rounds() > 0) ? 2 : Math.min(2 * rounds, MAX_WARM_UP_ROUNDS));
			double[][] values = new double[peers.size()][rounds];
			for (int round = 0; round < rounds; round++) {
				for (int i = 0; i < values.length; i++) {
					values[i][round] = peers.get(i).measure();
				}
			}
			for (int i = 0; i < values.length; i++) {
				Result result = new Result(scenario, scenario.peers().get(i).name(), values[i]);
				this.results.add(result);
				System.out.println(result);
			}
		}
		catch (Exception ex) {
			ex.printStackTrace();
			this.failed.add(scenario.name());
		}
	}

	/**
	 * Runs at least two rounds, and more while the compiler still uses processor time
	 * that would be missing in the measurement.
	 */
	private static void warmUp(List<Peer.Round> peers, int mostRounds) throws Exception {
		double busy = 1;
		for (int round = 0; round < 2 || (round < mostRounds && busy > 0.1); round++) {
			long start = System.nanoTime();
			long compiled = COMPILER.getTotalCompilationTime();
			for (Peer.Round peer : peers) {
				peer.measure();
			}
			busy = (COMPILER.getTotalCompilationTime() - compiled) * 1e6 / (System.nanoTime() - start);
		}
	}

	/** Describes the machine, and whether other processes kept it busy. */
	private String describeRun() {
		int processors = Runtime.getRuntime().availableProcessors();
		double load = load();
		String failures = this.failed.isEmpty() ? "" : ". **Failed: " + String.join("; ", this.failed) + "**";
		// The measurement keeps about all processors busy, and the build before it some
		String busy = (this.loadBefore > 0.75 * processors || load > 2.5 * processors)
				? ". **The machine was busy: these results are unreliable**" : "";
		return String.format(Locale.ROOT, "Java %s, %d processors, %s, load %.1f before and %.1f at the end%s%s",
				Runtime.version(), processors, this.suite, this.loadBefore, load, failures, busy);
	}

	private static double load() {
		return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
	}

}
