package io.statestore.broker.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import io.statestore.broker.faults.Network.Link;

/** Kinds of faults, each of which must occur in a run. */
enum FaultKind {

	KILL("Node killed", false, (run) -> killed(run, run.nodes().any(run.random()))),

	KILL_LEADER("Leader killed", true, (run) -> killed(run, run.leader())),

	KILL_ALL("All nodes killed", true, FaultKind::allKilled),

	PAUSE("Node paused", false, (run) -> paused(run.nodes().any(run.random()))),

	PAUSE_LEADER("Leader paused", true, (run) -> paused(run.leader())),

	ISOLATE_LEADER("Leader isolated", true, (run) -> partition(run, isolated(run, run.leader()))),

	HALVES("Network split in halves", true, (run) -> partition(run, isolated(run, run.nodes().any(run.random())))),

	BRIDGE("Two nodes connected through a third only", true, FaultKind::bridge),

	ONE_WAY("Packets lost in one direction", true, FaultKind::oneWay),

	LEADER_CANNOT_SEND("Packets of the leader lost", true, FaultKind::leaderCannotSend),

	LOSSY("Lossy and slow network", true, (run) -> new LossyLinks(run.nodes(), run.random().nextLong())),

	TRANSFER("Leadership transferred by an administrator", true,
			(run) -> new LeaderTransfers(run.nodes(), run.random().nextLong(), run::transferred)),

	SYSTEM_CLOCK("System clock moved", false, FaultKind::systemClock),

	MONOTONIC_CLOCK("Monotonic clock moved", false, FaultKind::monotonicClock),

	FULL_DISK("Disk full", false, FaultKind::fullDisk),

	ROLLING_RESTART("Rolling restart", false, FaultKind::rollingRestart);

	private static final int MAX_SYSTEM_JUMP_SECONDS = 3_600;

	private static final int MAX_MONOTONIC_JUMP_MILLIS = 20_000;

	private final String description;

	private final boolean forCluster;

	private final Beginning beginning;

	FaultKind(String description, boolean forCluster, Beginning beginning) {
		this.description = description;
		this.forCluster = forCluster;
		this.beginning = beginning;
	}

	/** Context in which a fault acts. */
	interface Context {

		Nodes nodes();

		Random random();

		/** Returns the leader, or the most recent leader. */
		default Node leader() {
			return nodes().leader(random());
		}

		/** Reports that a write was refused because a disk is full. */
		void refusedByDisk();

		/** Reports that a node leads after leadership was transferred to it. */
		void transferred();

		/** Reports that time has passed faster for a node than for the clients. */
		void jumped(Duration by);

	}

	private interface Beginning {

		Fault begin(Context context) throws Exception;

	}

	/**
	 * Returns the kinds that apply, or the kinds in the {@code cluster.faults} property.
	 */
	static List<FaultKind> of(Nodes nodes) {
		List<String> wanted = List.of(System.getProperty("cluster.faults", "").split(","));
		return Arrays.stream(values())
			.filter((kind) -> nodes.isCluster() || !kind.forCluster)
			.filter((kind) -> wanted.contains("") || wanted.contains(kind.name()))
			.toList();
	}

	Fault begin(Context context) throws Exception {
		return this.beginning.begin(context);
	}

	private static Fault killed(Context context, Node node) {
		node.kill();
		return context.nodes()::restartKilled;
	}

	private static Fault allKilled(Context context) {
		context.nodes().all().forEach(Node::kill);
		return context.nodes()::restartKilled;
	}

	private static Fault paused(Node node) {
		node.pause();
		return node::resume;
	}

	private static List<Link> isolated(Context context, Node node) {
		List<Link> links = new ArrayList<>();
		for (Node other : context.nodes().all()) {
			if (other != node) {
				Link link = new Link(node.name(), other.name());
				links.add(link);
				links.add(link.reversed());
			}
		}
		return links;
	}

	private static Fault partition(Context context, List<Link> links) {
		Network network = context.nodes().network();
		links.forEach(network::block);
		return () -> links.forEach(network::unblock);
	}

	private static Link anyLink(Context context) {
		List<Node> nodes = new ArrayList<>(context.nodes().all());
		Collections.shuffle(nodes, context.random());
		return new Link(nodes.get(0).name(), nodes.get(1).name());
	}

	private static Fault bridge(Context context) {
		Link link = anyLink(context);
		return partition(context, List.of(link, link.reversed()));
	}

	private static Fault oneWay(Context context) {
		return partition(context, List.of(anyLink(context)));
	}

	private static Fault leaderCannotSend(Context context) {
		Node leader = context.leader();
		return partition(context,
				isolated(context, leader).stream().filter((link) -> link.from().equals(leader.name())).toList());
	}

	private static Fault systemClock(Context context) {
		Duration jump = Duration
			.ofSeconds(context.random().nextInt(2 * MAX_SYSTEM_JUMP_SECONDS) - MAX_SYSTEM_JUMP_SECONDS);
		Node node = context.random().nextBoolean() ? context.leader() : context.nodes().any(context.random());
		node.clocks().moveSystem(jump);
		return () -> node.clocks().moveSystem(jump.negated());
	}

	private static Fault monotonicClock(Context context) {
		Duration jump = Duration.ofMillis(1 + context.random().nextInt(MAX_MONOTONIC_JUMP_MILLIS));
		Node node = context.random().nextBoolean() ? context.leader() : context.nodes().any(context.random());
		context.jumped(jump);
		node.clocks().moveMonotonic(jump);
		return () -> {
		};
	}

	private static Fault fullDisk(Context context) throws Exception {
		Node node = context.random().nextBoolean() ? context.leader() : context.nodes().any(context.random());
		return new FullDisk(node, context.nodes().addresses(), context::refusedByDisk);
	}

	private static Fault rollingRestart(Context context) {
		for (Node node : context.nodes().all()) {
			if (node.isAlive()) {
				node.resume();
				node.stop();
				node.start();
				context.nodes().awaitReady();
			}
		}
		return () -> {
		};
	}

	@Override
	public String toString() {
		return this.description;
	}

}
