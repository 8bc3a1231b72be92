package io.statestore.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Scenarios of three nodes beside three members of etcd, all of which run on this
 * machine: SETs that a majority has on disk, linearizable GETs, and the time after the
 * loss of the leader.
 */
final class ClusterScenarios {

	private static final Duration ROUND = Duration.ofSeconds(1);

	private static final int CALLS_IN_FLIGHT = 20_000;

	private static final String LEADER = ", connected to the leader";

	private static final String FOLLOWER = ", connected to a follower";

	private ClusterScenarios() {
	}

	/**
	 * Returns the scenarios.
	 * @param failovers number of times that the leader is killed
	 */
	static List<Scenario> all(Servers servers, int failovers) {
		if (!EtcdMembers.isInstalled()) {
			System.out.println("etcd is not installed, so only this store is measured");
		}
		List<ThreeNodes.Kind> kinds = EtcdMembers.isInstalled() ? List.of(StateStoreNodes.KIND, EtcdMembers.KIND)
				: List.of(StateStoreNodes.KIND);
		List<Scenario> scenarios = new ArrayList<>();
		for (Calls.Operation operation : List.of(Calls.Operation.SET, Calls.Operation.GET)) {
			scenarios.addAll(calls(servers, kinds, List.of(LEADER, FOLLOWER), operation));
			scenarios.add(new Scenario("processor time of all nodes per " + name(operation) + "256 in flight", "us",
					peers(servers, kinds, List.of(LEADER, FOLLOWER), operation, ClusterScenarios::processorTime)));
		}
		scenarios.add(new Scenario("from kill -9 of the leader to the first SET, three nodes", "ms",
				kinds.stream()
					.map((kind) -> Peer.of(kind.name(), () -> new Failover(servers.nodes(kind)), Failover::measure))
					.toList())
			.withRounds(failovers));
		return scenarios;
	}

	/** Returns scenarios of calls to the nodes of this build and of the earlier one. */
	static List<Scenario> builds(Servers servers, String earlier) {
		List<ThreeNodes.Kind> kinds = List.of(StateStoreNodes.KIND,
				new ThreeNodes.Kind("earlier build", (directory) -> new StateStoreNodes(directory, earlier)));
		return Stream.of(Calls.Operation.SET, Calls.Operation.GET)
			.flatMap((operation) -> calls(servers, kinds, List.of(LEADER), operation).stream())
			.toList();
	}

	private static List<Scenario> calls(Servers servers, List<ThreeNodes.Kind> kinds, List<String> targets,
			Calls.Operation operation) {
		String ours = StateStoreNodes.KIND.name() + LEADER;
		String etcd = EtcdMembers.KIND.name() + LEADER;
		return List.of(
				new Scenario(name(operation) + "256 in flight", "1/s",
						peers(servers, kinds, targets, operation, (caller, nodes) -> Measures.inFlight(caller, ROUND)),
						Goal.atLeast(ours, etcd, (operation == Calls.Operation.SET) ? 2 : 1)),
				new Scenario(name(operation) + "sequential", "us",
						peers(servers, kinds, targets, operation, (caller, nodes) -> Measures.sequential(caller)),
						Goal.atMost(ours, etcd, 1)));
	}

	private static String name(Calls.Operation operation) {
		return operation + ", 100 B, three nodes, ";
	}

	private static List<Peer> peers(Servers servers, List<ThreeNodes.Kind> kinds, List<String> targets,
			Calls.Operation operation, Measure measure) {
		Calls calls = new Calls(operation, Calls.SETS.keys(), Calls.SETS.size());
		return targets.stream()
			.flatMap((target) -> kinds.stream()
				.map((kind) -> Peer.of(kind.name() + target,
						() -> new ConnectedClient(servers.nodes(kind), target.equals(LEADER), calls),
						(client) -> client.measure(measure))))
			.toList();
	}

	/**
	 * Returns the processor time of all nodes for each call. It depends less on other
	 * processes than the rate of the calls.
	 */
	private static double processorTime(Caller caller, ThreeNodes nodes) throws Exception {
		double before = nodes.processorMicros();
		Measures.make(caller, CALLS_IN_FLIGHT, Measures.IN_FLIGHT);
		return (nodes.processorMicros() - before) / CALLS_IN_FLIGHT;
	}

	/** Measures one round. */
	@FunctionalInterface
	private interface Measure {

		double of(Caller caller, ThreeNodes nodes) throws Exception;

	}

	/** A client that is connected to one node, and to another one if the roles change. */
	private static final class ConnectedClient implements AutoCloseable {

		private final ThreeNodes nodes;

		private final boolean toLeader;

		private final Calls calls;

		private int node = -1;

		private @Nullable Caller caller;

		ConnectedClient(ThreeNodes nodes, boolean toLeader, Calls calls) {
			this.nodes = nodes;
			this.toLeader = toLeader;
			this.calls = calls;
		}

		double measure(Measure measure) throws Exception {
			Servers.sync();
			int leader = this.nodes.leader();
			int wanted = this.toLeader ? leader : (leader + 1) % ThreeNodes.COUNT;
			Caller caller = this.caller;
			if (caller == null || this.node != wanted) {
				close();
				caller = this.nodes.connect(List.of(this.nodes.port(wanted)), this.calls);
				this.caller = caller;
				this.node = wanted;
			}
			return measure.of(caller, this.nodes);
		}

		@Override
		public void close() throws Exception {
			if (this.caller != null) {
				this.caller.close();
			}
		}

	}

}
