package io.statestore.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

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

	private final Servers servers;

	private final List<ThreeNodes.Kind> kinds = new ArrayList<>();

	private final List<String> targets;

	ClusterScenarios(Servers servers) throws IOException {
		this.servers = servers;
		this.kinds.add(servers.nodes("ours"));
		this.targets = (servers.earlier != null) ? List.of(LEADER) : List.of(LEADER, FOLLOWER);
		if (servers.earlier != null) {
			this.kinds.add(ThreeNodes.ours("earlier build", servers.earlier, servers.certificates));
		}
		else if (ThreeNodes.ETCD.server().isInstalled()) {
			this.kinds.add(ThreeNodes.ETCD);
		}
		else {
			System.out.println("etcd is not installed, so only this store is measured");
		}
	}

	/** Returns scenarios of calls to nodes that all run. */
	List<Scenario> calls() {
		List<Scenario> scenarios = new ArrayList<>();
		String ours = "ours" + LEADER;
		String etcd = ThreeNodes.ETCD.name() + LEADER;
		for (Calls.Operation operation : List.of(Calls.Operation.SET, Calls.Operation.GET)) {
			String name = operation + ", 100 B, three nodes, ";
			scenarios.add(new Scenario(name + "256 in flight", "1/s",
					peers(operation, (caller, nodes) -> Measures.inFlight(caller, ROUND)),
					Goal.atLeast(ours, etcd, (operation == Calls.Operation.SET) ? 2 : 1)));
			scenarios.add(new Scenario(name + "sequential", "us",
					peers(operation, (caller, nodes) -> Measures.sequential(caller)), Goal.atMost(ours, etcd, 1)));
			if (this.servers.earlier == null) {
				scenarios.add(new Scenario("processor time of all nodes per " + name + "256 in flight", "us",
						peers(operation, ClusterScenarios::processorTime)));
			}
		}
		return scenarios;
	}

	private List<Peer> peers(Calls.Operation operation, Measure measure) {
		return peers(operation, this.kinds, this.targets, measure);
	}

	private List<Peer> peers(Calls.Operation operation, List<ThreeNodes.Kind> kinds, List<String> targets,
			Measure measure) {
		Calls calls = new Calls(operation, Calls.SETS.keys(), Calls.SETS.size());
		List<Peer> peers = new ArrayList<>();
		for (String target : targets) {
			for (ThreeNodes.Kind kind : kinds) {
				peers.add(Peer.of(kind.name() + target,
						() -> new ConnectedClient(this.servers.nodes(kind), target.equals(LEADER), calls),
						(client) -> client.measure(measure)));
			}
		}
		return peers;
	}

	/** Returns the scenario of SETs with and without a history. */
	Scenario history() throws IOException {
		List<ThreeNodes.Kind> kinds = List.of(this.servers.nodes("no history"),
				this.servers.nodes("history", "--history-retention", "30d"));
		return new Scenario("history: SET, 100 B, three nodes, 256 in flight", "1/s",
				peers(Calls.Operation.SET, kinds, List.of(LEADER), (caller, nodes) -> Measures.inFlight(caller, ROUND)),
				Goal.atLeast("history" + LEADER, "no history" + LEADER, 0.95));
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

	/**
	 * Returns the scenario of the time until a SET of a client with the addresses of all
	 * nodes succeeds that began after the loss of the leader.
	 * @param rounds number of times that the leader is killed
	 */
	Scenario failover(int rounds) {
		Calls calls = new Calls(Calls.Operation.SET, 100, 100);
		List<Peer> peers = this.kinds.stream().map((kind) -> new Peer(kind.name(), (resources) -> {
			ThreeNodes nodes = this.servers.nodes(kind);
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
		})).toList();
		return new Scenario("from kill -9 of the leader to the first SET, three nodes", "ms", peers).withRounds(rounds);
	}

	/** Sends a SET every 5 ms until one succeeds, and returns the time. */
	private static long awaitSet(Caller caller) throws IOException, InterruptedException {
		CompletableFuture<Long> first = new CompletableFuture<>();
		Semaphore permits = new Semaphore(200);
		long start = System.nanoTime();
		while (!first.isDone()) {
			if (System.nanoTime() - start > 60_000_000_000L) {
				throw new IOException("No SET has succeeded within a minute");
			}
			if (permits.tryAcquire()) {
				send(caller).whenComplete((reply, failure) -> {
					permits.release();
					if (failure == null) {
						first.complete(System.nanoTime());
					}
				});
			}
			Thread.sleep(5);
		}
		return first.join();
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
				caller = this.nodes.connect(this.calls, wanted);
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
