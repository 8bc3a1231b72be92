package io.statestore.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Scenarios of three nodes beside three members of etcd, all of which run on this
 * machine: SETs that a majority has on disk, linearizable GETs, and the time after the
 * loss of the leader. Each store is started on first use.
 */
final class ClusterScenarios implements AutoCloseable {

	private static final int KEYS = 10_000;

	private static final int IN_FLIGHT = 256;

	private static final Duration ROUND = Duration.ofSeconds(1);

	private static final int CALLS_IN_FLIGHT = 20_000;

	private static final int SEQUENTIAL_CALLS = 1_000;

	private final Map<Store, ThreeNodes> running = new EnumMap<>(Store.class);

	private final Path directory;

	/** Executable JAR file of an earlier build, {@code null} for none. */
	private final @Nullable Path earlier;

	ClusterScenarios(Path directory) {
		this(directory, null);
	}

	/**
	 * Creates scenarios.
	 * @param earlier executable JAR file of an earlier build, {@code null} for none
	 */
	ClusterScenarios(Path directory, @Nullable Path earlier) {
		this.directory = directory;
		this.earlier = earlier;
	}

	/** Compares three nodes of this build with those of the earlier one. */
	List<Scenario> builds() {
		List<Scenario> scenarios = new ArrayList<>();
		List<Target> targets = List.of(Target.OURS, Target.EARLIER);
		for (Operation operation : List.of(Operation.SET, Operation.GET)) {
			String name = operation + ", 100 B, three nodes, ";
			scenarios.add(new Scenario(name + "256 in flight", "1/s", implementations(targets, operation,
					(caller, nodes) -> CallMeasures.inFlight(caller, IN_FLIGHT, ROUND))));
			scenarios.add(new Scenario(name + "sequential", "us", implementations(targets, operation,
					(caller, nodes) -> CallMeasures.sequential(caller, SEQUENTIAL_CALLS))));
		}
		return scenarios;
	}

	/** Returns the scenarios in which all nodes run. */
	List<Scenario> calls() {
		return Stream.of(Operation.SET, Operation.GET).flatMap((operation) -> calls(operation).stream()).toList();
	}

	private List<Scenario> calls(Operation operation) {
		String name = operation + ", 100 B, three nodes, ";
		return List.of(
				new Scenario(name + "256 in flight", "1/s",
						implementations(operation, (caller, nodes) -> CallMeasures.inFlight(caller, IN_FLIGHT, ROUND)),
						List.of(Goal.atLeast(Target.OURS.toString(), Target.ETCD.toString(),
								(operation == Operation.SET) ? 2 : 1))),
				new Scenario(name + "sequential", "us",
						implementations(operation,
								(caller, nodes) -> CallMeasures.sequential(caller, SEQUENTIAL_CALLS)),
						List.of(Goal.atMost(Target.OURS.toString(), Target.ETCD.toString(), 1))),
				new Scenario("processor time of all nodes per " + name + "256 in flight", "us",
						implementations(operation, ClusterScenarios::processorTime)));
	}

	private List<Implementation.Factory> implementations(Operation operation, Measure measure) {
		List<Target> targets = Stream.of(Target.values())
			.filter((target) -> target.store != Store.EARLIER && target.store.isInstalled())
			.toList();
		return implementations(targets, operation, measure);
	}

	private List<Implementation.Factory> implementations(List<Target> targets, Operation operation, Measure measure) {
		return targets
			.stream().<Implementation
					.Factory>map((target) -> () -> new ConnectedClient(target, nodes(target.store), operation, measure))
			.toList();
	}

	/** Returns the scenario in which each round kills the leader. */
	Scenario failover() {
		return new Scenario("from kill -9 of the leader to the first SET, three nodes", "ms",
				Stream.of(Store.OURS, Store.ETCD)
					.filter(Store::isInstalled).<Implementation
							.Factory>map((store) -> () -> new Failover(store.toString(), nodes(store)))
					.toList());
	}

	/**
	 * Returns the processor time of all nodes for each call. It depends less on other
	 * processes than the rate of the calls.
	 */
	private static double processorTime(Caller caller, ThreeNodes nodes) throws Exception {
		double before = nodes.processorMicros();
		CallMeasures.make(caller, CALLS_IN_FLIGHT, IN_FLIGHT);
		return (nodes.processorMicros() - before) / CALLS_IN_FLIGHT;
	}

	private ThreeNodes nodes(Store store) throws Exception {
		ThreeNodes nodes = this.running.get(store);
		if (nodes == null) {
			Path directory = this.directory.resolve(store.name()).toAbsolutePath();
			nodes = switch (store) {
				case OURS -> new StateStoreNodes(directory);
				case EARLIER -> new StateStoreNodes(directory, String.valueOf(this.earlier));
				case ETCD -> new EtcdMembers(directory);
			};
			this.running.put(store, nodes);
			nodes.start();
			try (Caller caller = nodes.connect(List.of(nodes.port(nodes.leader())), Operation.SET, KEYS)) {
				CallMeasures.make(caller, KEYS, IN_FLIGHT);
			}
		}
		return nodes;
	}

	@Override
	public void close() throws InterruptedException {
		for (ThreeNodes nodes : this.running.values()) {
			nodes.close();
		}
	}

	private enum Store {

		OURS("ours"), EARLIER("earlier build"), ETCD("jetcd on etcd");

		private final String text;

		Store(String text) {
			this.text = text;
		}

		boolean isInstalled() {
			return this != ETCD || EtcdMembers.isInstalled();
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

	/** Node to which a client is connected. */
	private enum Target {

		OURS(Store.OURS, true), EARLIER(Store.EARLIER, true), ETCD(Store.ETCD, true), OURS_FOLLOWER(Store.OURS, false),
		ETCD_FOLLOWER(Store.ETCD, false);

		private final Store store;

		private final boolean leader;

		Target(Store store, boolean leader) {
			this.store = store;
			this.leader = leader;
		}

		@Override
		public String toString() {
			return this.store + (this.leader ? ", connected to the leader" : ", connected to a follower");
		}

	}

	/** Measures one round. */
	@FunctionalInterface
	private interface Measure {

		double of(Caller caller, ThreeNodes nodes) throws Exception;

	}

	/** A client that is connected to one node, and to another one if the roles change. */
	private static final class ConnectedClient implements Implementation {

		private final Target target;

		private final ThreeNodes nodes;

		private final Operation operation;

		private final Measure round;

		private int node = -1;

		private @Nullable Caller caller;

		ConnectedClient(Target target, ThreeNodes nodes, Operation operation, Measure round) {
			this.target = target;
			this.nodes = nodes;
			this.operation = operation;
			this.round = round;
		}

		@Override
		public String name() {
			return this.target.toString();
		}

		@Override
		public double measure() throws Exception {
			DurabilityScenarios.sync();
			return this.round.of(connected(), this.nodes);
		}

		private Caller connected() throws Exception {
			int leader = this.nodes.leader();
			int wanted = this.target.leader ? leader : (leader + 1) % ThreeNodes.COUNT;
			Caller caller = this.caller;
			if (caller == null || this.node != wanted) {
				if (caller != null) {
					System.out.println("  The leader has changed: " + this.target.store);
					caller.close();
				}
				caller = this.nodes.connect(List.of(this.nodes.port(wanted)), this.operation, KEYS);
				this.caller = caller;
				this.node = wanted;
			}
			return caller;
		}

		@Override
		public void close() throws Exception {
			if (this.caller != null) {
				this.caller.close();
			}
		}

	}

}
