package io.statestore.benchmarks;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Runs the scenarios of a suite. The arguments are the name of the suite and either a
 * substring of the names of the scenarios to run or, for {@code builds} and
 * {@code messages}, the executable JAR of an earlier standalone broker. For
 * {@code cluster}, a third argument is the number of failovers. The {@code rounds} system
 * property overrides the number of rounds.
 */
public final class Benchmarks {

	/** Scenarios of a quick run if no name filter is given. */
	private static final Set<String> QUICK = Set.of("sequential GET, 100 B", "GET, 100 B, 256 in flight",
			"notification, from SET to the listener, 100 B", "lock and unlock, uncontended",
			"hand-over of a lock to another process, from unlock() to the end of lock()",
			"Dafka, producer to consumer, 100 B");

	private static final int MAX_WARM_UP_ROUNDS = 24;

	/** Number of rounds whose median shows whether results are still improving. */
	private static final int TREND = 3;

	private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

	/** Results of each scenario's last run, by scenario name. */
	private final Map<String, List<Result>> results = new LinkedHashMap<>();

	private final Set<String> failed = new LinkedHashSet<>();

	/** Guards by scenario name, for the comparison of two builds. */
	private final Map<String, Guard> guards = new LinkedHashMap<>();

	private final double loadBefore = load();

	private final String suite;

	private final int rounds;

	private Benchmarks(String suite) {
		this.suite = suite;
		this.rounds = Integer.getInteger("rounds", switch (suite) {
			case "quick" -> 3;
			case "full", "messages", "growth" -> 5;
			case "builds" -> 25;
			default -> 9;
		});
	}

	public static void main(String[] args) throws Exception {
		String suite = (args.length > 0) ? args[0] : "quick";
		String argument = (args.length > 1) ? args[1] : "";
		System.exit(new Benchmarks(suite).run(argument, Integer.parseInt((args.length > 2) ? args[2] : "50")) ? 0 : 1);
	}

	/** Runs the suite. Returns {@code false} if this build is slower in any row. */
	private boolean run(String argument, int failovers) throws Exception {
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
		do {
			// Each run uses new processes, because a slow process may stay slow.
			try (Servers servers = new Servers(earlier)) {
				for (Scenario scenario : scenarios(servers, failovers)) {
					if (chosen.test(scenario.name())) {
						runOrReport(scenario);
					}
				}
			}
			chosen = (name) -> this.guards.containsKey(name) && this.guards.get(name).needsRun();
		}
		while (this.guards.values().stream().anyMatch(Guard::needsRun));
		List<String> slower = this.guards.values().stream().filter(Guard::hasFailed).map(Guard::toString).toList();
		this.failed.addAll(slower);
		new Report(this.results, describeRun()).write(Path.of("benchmarks/results"), this.suite);
		slower.forEach(System.err::println);
		return slower.isEmpty();
	}

	private List<Scenario> scenarios(Servers servers, int failovers) throws Exception {
		Stream<List<Scenario>> scenarios = switch (this.suite) {
			case "quick",
					"full" ->
				Stream.of(new CallScenarios(servers).all(), NotificationScenarios.all(servers),
						new LockScenarios(servers).all(), new CacheScenarios(servers).all(), DafkaScenarios.all(),
						new DurabilityScenarios(servers).history(), List.of(StartUp.scenario(servers)),
						new CostScenarios(servers).all());
			case "builds" -> Stream.of(new CallScenarios(servers).builds(), new ClusterScenarios(servers).calls());
			case "durability" -> Stream.of(new DurabilityScenarios(servers).all(),
					List.of(new SnapshotScenario(servers).scenario()), new RecoveryScenarios(servers).all());
			case "messages" -> Stream.of(new MessageScenarios(servers).all());
			case "growth" -> Stream.of(new GrowthScenarios(servers).all());
			case "security", "attacks" -> Stream.of(new SecurityScenarios(servers).all(this.suite.equals("attacks")));
			case "cluster" -> Stream.of(new ClusterScenarios(servers).all(failovers));
			default -> throw new IllegalArgumentException("Unknown suite '" + this.suite
					+ "'; valid are quick, full, builds, durability, messages, growth, security, attacks, and cluster");
		};
		return scenarios.flatMap(List::stream).toList();
	}

	/**
	 * Runs a scenario. A failure is reported at the end, without affecting other results.
	 */
	private void runOrReport(Scenario scenario) {
		System.out.printf(Locale.ROOT, "%n%tT %s (%s)%n", LocalTime.now(), scenario.name(), scenario.unit());
		double ratio = Double.NaN;
		try (Resources resources = new Resources()) {
			List<Callable<Double>> peers = new ArrayList<>();
			for (Peer peer : scenario.peers()) {
				peers.add(peer.opener().apply(resources));
			}
			int rounds = (scenario.rounds() > 0) ? scenario.rounds() : this.rounds;
			warmUp(scenario, peers, (scenario.rounds() > 0 || rounds == 1) ? 2 : MAX_WARM_UP_ROUNDS);
			double[][] values = new double[peers.size()][rounds];
			for (int round = 0; round < rounds; round++) {
				for (int i = 0; i < values.length; i++) {
					values[i][round] = peers.get(i).call();
				}
			}
			List<Result> rows = new ArrayList<>();
			for (int i = 0; i < values.length; i++) {
				rows.add(new Result(scenario, scenario.peers().get(i).name(), values[i]));
				System.out.println(rows.get(i));
			}
			this.results.put(scenario.name(), rows);
			this.failed.remove(scenario.name());
			ratio = rows.get(0).median() / rows.get(rows.size() - 1).median();
		}
		catch (Exception ex) {
			ex.printStackTrace();
			this.failed.add(scenario.name());
		}
		if (this.suite.equals("builds")) {
			this.guards.computeIfAbsent(scenario.name(), (name) -> new Guard(name, scenario.unit())).add(ratio);
		}
	}

	/**
	 * Runs rounds until this process's JIT compiler is idle and no result improves. The
	 * results matter, too, because the servers' compilers cannot be observed.
	 */
	private static void warmUp(Scenario scenario, List<Callable<Double>> peers, int mostRounds) throws Exception {
		double[][] rates = new double[peers.size()][mostRounds];
		double busy = 1;
		for (int round = 0; round < mostRounds; round++) {
			if (round >= Math.min(2 * TREND, mostRounds) && busy <= 0.1 && !isImproving(rates, round)) {
				return;
			}
			long start = System.nanoTime();
			long compiled = COMPILER.getTotalCompilationTime();
			for (int i = 0; i < rates.length; i++) {
				double value = peers.get(i).call();
				rates[i][round] = scenario.unit().endsWith("/s") ? value : 1 / value;
			}
			busy = (COMPILER.getTotalCompilationTime() - compiled) * 1e6 / (System.nanoTime() - start);
		}
	}

	private static boolean isImproving(double[][] rates, int rounds) {
		return Stream.of(rates)
			.anyMatch((values) -> median(values, rounds - TREND) > 1.2 * median(values, rounds - 2 * TREND));
	}

	private static double median(double[] values, int from) {
		return Arrays.stream(values, from, from + TREND).sorted().skip(TREND / 2).findFirst().orElseThrow();
	}

	/** Describes the machine and whether other processes kept it busy. */
	private String describeRun() {
		int processors = Runtime.getRuntime().availableProcessors();
		double load = load();
		String failures = this.failed.isEmpty() ? "" : ". **Failed: " + String.join("; ", this.failed) + "**";
		// The measurement keeps nearly all processors busy; the preceding build, some of
		// them.
		String busy = (this.loadBefore > 0.75 * processors || load > 2.5 * processors)
				? ". **The machine was busy: these results are unreliable**" : "";
		return String.format(Locale.ROOT, "Java %s, %d processors, %s, load %.1f before and %.1f at the end%s%s",
				Runtime.version(), processors, this.suite, this.loadBefore, load, failures, busy);
	}

	private static double load() {
		return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
	}

}
