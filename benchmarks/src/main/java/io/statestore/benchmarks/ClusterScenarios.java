package io.statestore.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Scenarios that compare three nodes with three etcd members, all on this machine: SETs
 * that a majority has on disk, linearizable GETs, and the outage after losing the leader.
 */
final class ClusterScenarios {

	private static final int CALLS_IN_FLIGHT = 20_000;

	/** Maximum number of attempts, enough for about a minute without a leader. */
	private static final int MOST_SETS = 12_000;

	private static final String LEADER = ", connected to the leader";

	private static final String FOLLOWER = ", connected to a follower";

	private final Servers servers;

	private final List<Server> kinds;

	private final List<String> targets;

	ClusterScenarios(Servers servers) throws IOException {
		this.servers = servers;
		String earlier = servers.earlier;
		this.kinds = List.of(servers.nodes("ours"),
				(earlier == null) ? Servers.ETCD : Server.nodes("earlier build", earlier, servers.certificates));
		this.targets = (earlier == null) ? List.of(LEADER, FOLLOWER) : List.of(LEADER);
	}

	/**
	 * Returns all scenarios.
	 * @param failovers number of times that the leader is killed
	 */
	List<Scenario> all(int failovers) throws IOException {
		List<Scenario> scenarios = new ArrayList<>(calls());
		scenarios.add(history());
		scenarios.add(failover(failovers));
		return scenarios;
	}

	/** Returns scenarios for calls while all nodes are running. */
	List<Scenario> calls() {
		List<Scenario> scenarios = new ArrayList<>();
		String ours = "ours" + LEADER;
		String etcd = Servers.ETCD.name() + LEADER;
		for (Calls.Operation operation : List.of(Calls.Operation.SET, Calls.Operation.GET)) {
			String name = operation + ", 100 B, three nodes, ";
			scenarios
				.add(new Scenario(name + "256 in flight", "1/s", peers(operation, (nodes) -> Measures::inFlightOnDisk),
						Goal.atLeast(ours, etcd, (operation == Calls.Operation.SET) ? 2 : 1)));
			scenarios.add(new Scenario(name + "sequential", "us", peers(operation, (nodes) -> Measures::sequential),
					Goal.atMost(ours, etcd, 1)));
			if (this.servers.earlier == null) {
				scenarios.add(new Scenario("processor time of all nodes per " + name + "256 in flight", "us",
						peers(operation, (nodes) -> (caller) -> processorTime(caller, nodes))));
			}
		}
		return scenarios;
	}

	/** Returns the scenario for SETs with and without a history. */
	private Scenario history() throws IOException {
		Function<Store, Peer.Measure<Caller>> rate = (nodes) -> Measures::inFlightOnDisk;
		return new Scenario("history: SET, 100 B, three nodes, 256 in flight", "1/s",
				List.of(peer(Calls.SETS, this.servers.nodes("no history"), LEADER, rate),
						peer(Calls.SETS, this.servers.nodes("history", "--history-retention", "30d"), LEADER, rate)),
				Goal.atLeast("history" + LEADER, "no history" + LEADER, 0.95));
	}

	private List<Peer> peers(Calls.Operation operation, Function<Store, Peer.Measure<Caller>> measure) {
		Calls calls = new Calls(operation, Calls.SETS.keys(), Calls.SETS.size());
		return this.targets.stream()
			.flatMap((target) -> this.kinds.stream().map((kind) -> peer(calls, kind, target, measure)))
			.toList();
	}

	/** Returns a peer that reconnects to another node if the roles change. */
	private Peer peer(Calls calls, Server kind, String target, Function<Store, Peer.Measure<Caller>> measure) {
		return new Peer(kind.name() + target, (resources) -> {
			Store nodes = this.servers.store(kind);
			Map<Integer, Caller> callers = new HashMap<>();
			return () -> {
				Servers.sync();
				int node = (nodes.leader() + (target.equals(LEADER) ? 0 : 1)) % Store.NODES;
				if (!callers.containsKey(node)) {
					callers.put(node, resources.add(nodes.connect(calls, node)));
				}
				return measure.apply(nodes).of(callers.get(node));
			};
		}).on(kind);
	}

	/**
	 * Returns the processor time of all nodes per call, in microseconds. Other processes
	 * affect it less than they affect the call rate.
	 */
	private static double processorTime(Caller caller, Store nodes) throws Exception {
		double before = nodes.processorMicros();
		Measures.make(caller, CALLS_IN_FLIGHT, Measures.IN_FLIGHT);
		return (nodes.processorMicros() - before) / CALLS_IN_FLIGHT;
	}

	/**
	 * Returns the scenario that measures how long after losing the leader a SET succeeds,
	 * for a client that knows all nodes' addresses.
	 */
	private Scenario failover(int rounds) {
		Calls calls = new Calls(Calls.Operation.SET, 100, 100);
		List<Peer> peers = this.kinds.stream().map((kind) -> new Peer(kind.name(), (resources) -> {
			Store nodes = this.servers.store(kind);
			Caller caller = resources.add(nodes.connect(calls, 0, 1, 2));
			return () -> {
				awaitSet(caller);
				int leader = nodes.leader();
				long start = System.nanoTime();
				nodes.kill(leader);
				double millis = (awaitSet(caller) - start) / 1e6;
				nodes.restart(leader);
				return millis;
			};
		}).on(kind)).toList();
		return new Scenario("from kill -9 of the leader to the first SET, three nodes", "ms", peers, List.of(), rounds);
	}

	/**
	 * Sends a SET every 5 ms until one succeeds. Returns the time of success in
	 * nanoseconds.
	 */
	private static long awaitSet(Caller caller) throws Exception {
		CompletableFuture<Long> first = new CompletableFuture<>();
		for (int sent = 0; !first.isDone() && sent < MOST_SETS; sent++) {
			send(caller).thenRun(() -> first.complete(System.nanoTime()));
			Thread.sleep(5);
		}
		return first.get(1, TimeUnit.SECONDS);
	}

	private static CompletableFuture<?> send(Caller caller) {
		try {
			return caller.send().get();
		}
		catch (RuntimeException ex) {
			// The client is not connected.
			return CompletableFuture.failedFuture(ex);
		}
	}

}
