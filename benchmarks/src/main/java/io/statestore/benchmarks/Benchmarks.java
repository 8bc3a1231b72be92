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

import org.jspecify.annotations.Nullable;

/**
 * Runs the scenarios of a suite. The arguments are the name of the {@link Suite} and
 * either a part of the names of the scenarios to run or, for {@code builds} and
 * {@code messages}, the executable JAR of an earlier standalone broker. A third argument
 * of {@code cluster} is the number of failovers. The system property {@code rounds}
 * replaces the number of rounds.
 */
public final class Benchmarks {

	/** Scenarios of a quick run if no name filter is given. */
	private static final Set<String> QUICK = Set.of("engine: SET, 100 B", "engine: SET, 100 B, allocated",
			"sequential GET, 100 B", "GET, 100 B, 256 in flight", "notification, from SET to the listener, 100 B",
			"lock and unlock, uncontended",
			"hand-over of a lock to another process, from unlock() to the end of lock()",
			"Dafka, producer to consumer, 100 B");

	/** Number of times that the leader of a cluster is killed. */
	private static final String FAILOVERS = "50";

	private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

	private final List<Result> results = new ArrayList<>();

	private final List<String> failed = new ArrayList<>();

	private final double loadBefore = load();

	private final Suite suite;

	private final int rounds;

	private Benchmarks(Suite suite) {
		this.suite = suite;
		this.rounds = Integer.getInteger("rounds", suite.rounds);
	}

	public static void main(String[] args) throws Exception {
		Suite suite = (args.length > 0) ? Suite.valueOf(args[0].toUpperCase(Locale.ROOT)) : Suite.QUICK;
		String argument = (args.length > 1) ? args[1] : "";
		new Benchmarks(suite).run(argument, Integer.parseInt((args.length > 2) ? args[2] : FAILOVERS));
		System.exit(0);
	}

	private void run(String argument, int failovers) throws Exception {
		String earlier = this.suite.earlierBuild(argument);
		String part = (earlier != null) ? "" : argument.toLowerCase(Locale.ROOT);
		Predicate<String> chosen = (this.suite == Suite.QUICK && part.isEmpty()) ? QUICK::contains
				: (name) -> name.toLowerCase(Locale.ROOT).contains(part);
		try (Servers servers = new Servers(earlier)) {
			for (Scenario scenario : this.suite.scenarios(servers, failovers)) {
				if (chosen.test(scenario.name())) {
					runOrReport(scenario);
				}
			}
		}
		new Report(this.results, describeRun()).write(Path.of("benchmarks/results"), this.suite.toString());
	}

	/** Runs a scenario. A failure is reported at the end and keeps other results. */
	private void runOrReport(Scenario scenario) {
		System.out.printf(Locale.ROOT, "%n%tT %s (%s)%n", LocalTime.now(), scenario.name(), scenario.unit());
		try (Resources resources = new Resources()) {
			List<Peer.Round> peers = new ArrayList<>();
			for (Peer peer : scenario.peers()) {
				peers.add(peer.opener().open(resources));
			}
			warmUp(peers, (scenario.rounds() > 0) ? 2 : 2 * this.rounds);
			double[][] values = new double[peers.size()][(scenario.rounds() > 0) ? scenario.rounds() : this.rounds];
			for (int round = 0; round < values[0].length; round++) {
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
		for (int round = 0; round < 2 || (round < Math.min(mostRounds, 12) && busy > 0.1); round++) {
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
		String description = String.format(Locale.ROOT,
				"Java %s, %d processors, %s, load %.1f before and %.1f at the end", Runtime.version(), processors,
				this.suite, this.loadBefore, load);
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

	/** Scenarios that run together, and whose results form one report. */
	private enum Suite {

		QUICK(3), FULL(5),

		/** This build beside an earlier one. */
		BUILDS(25),

		/** Stores that keep data on disk. */
		DURABILITY(9),

		/** Ordinary messages beside Mosquitto and an earlier build. */
		MESSAGES(5),

		/** SETs beside ordinary messages. */
		FAIRNESS(9),

		/** The cost of TLS and rules, and the effect of attacks. */
		SECURITY(9),

		/** Three nodes beside three members of etcd. */
		CLUSTER(9);

		private final int rounds;

		Suite(int rounds) {
			this.rounds = rounds;
		}

		/** Returns the path of the earlier build, {@code null} for none. */
		@Nullable String earlierBuild(String argument) {
			if (this != BUILDS && (this != MESSAGES || argument.isEmpty())) {
				return null;
			}
			Path earlier = Path.of(argument).toAbsolutePath();
			if (!Files.isRegularFile(earlier)) {
				throw new IllegalArgumentException(
						"No file " + earlier + ". Name the executable JAR of an earlier standalone broker");
			}
			return earlier.toString();
		}

		List<Scenario> scenarios(Servers servers, int failovers) throws Exception {
			List<Scenario> scenarios = new ArrayList<>();
			switch (this) {
				case QUICK, FULL -> {
					scenarios.addAll(EngineScenarios.all());
					scenarios.addAll(CallScenarios.all(servers));
					scenarios.addAll(NotificationScenarios.all(servers));
					scenarios.addAll(LockScenarios.all(servers));
					scenarios.addAll(CacheScenarios.all(servers));
					scenarios.addAll(DafkaScenarios.all());
					scenarios.addAll(HistoryScenarios.all(servers));
					scenarios.add(StartUp.scenario(servers));
				}
				case BUILDS -> {
					String earlier = String.valueOf(servers.earlier);
					scenarios.addAll(CallScenarios.builds(servers, earlier));
					scenarios.addAll(new ClusterScenarios(servers).calls());
				}
				case DURABILITY -> {
					scenarios.addAll(DurabilityScenarios.all(servers));
					scenarios.addAll(new RecoveryScenarios(servers).all());
				}
				case MESSAGES -> scenarios.addAll(new MessageScenarios(servers).all());
				case FAIRNESS -> scenarios.addAll(FairnessScenarios.all(servers));
				case SECURITY -> {
					SecurityScenarios security = new SecurityScenarios(servers);
					scenarios.addAll(security.scenarios());
					AttackScenarios attacks = new AttackScenarios(servers, security);
					scenarios.add(attacks.scenario(100));
					scenarios.add(attacks.scenario(640));
				}
				case CLUSTER -> {
					ClusterScenarios cluster = new ClusterScenarios(servers);
					scenarios.addAll(cluster.calls());
					scenarios.add(cluster.failover(failovers));
				}
			}
			return scenarios;
		}

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
