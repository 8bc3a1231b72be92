package io.statestore.broker.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Version;

/** A simulated cluster, its clients, and random events. */
final class ReplicaSimulation implements AutoCloseable {

	private static final int STEPS = 400;

	private static final int MAX_STEPS = 20_000;

	private static final Bytes LOCK = Bytes.of("lock");

	private final Random random;

	private final SimulatedCluster cluster;

	private final SimulatedLogs logs;

	private final List<SimulatedClient> clients = new ArrayList<>();

	private final List<SimulatedSession> sessions = new ArrayList<>();

	private final List<Operation> history = new ArrayList<>();

	private int failovers;

	ReplicaSimulation(long seed) {
		this.random = new Random(seed);
		this.cluster = new SimulatedCluster(this.random.nextLong(), 3);
		this.logs = new SimulatedLogs(seed, 3);
		for (int i = 0; i < 3; i++) {
			this.clients.add(new SimulatedClient(this.cluster, "client" + i, this.history));
			this.sessions.add(new SimulatedSession("session" + i));
		}
		SimulatedNode first = this.cluster.start(0);
		this.sessions.forEach((session) -> session.connect(first));
		this.cluster.settle();
		store();
		this.cluster.unreliable = true;
	}

	/**
	 * Runs random events, then ends in a healthy state. Returns the operations that the
	 * clients have seen.
	 */
	List<Operation> run() {
		for (int step = 0; step < STEPS; step++) {
			step();
			store();
			this.clients.forEach(SimulatedClient::receive);
			this.sessions.forEach(SimulatedSession::receive);
		}
		end();
		return this.history;
	}

	/**
	 * Runs random events, then requests until the machine on each node throws an
	 * exception. Each node must then end.
	 */
	List<Operation> runToException() {
		run();
		SimulatedNode leader = this.cluster.leader();
		leader.server().startAfter(MachineFailureTests.LAST_BUT_ONE);
		for (int step = 0; !this.cluster.nodes.stream().allMatch(SimulatedNode::hasEnded); step++) {
			if (step == MAX_STEPS) {
				throw new AssertionError("Not all nodes have ended");
			}
			SimulatedClient client = this.clients.get(this.random.nextInt(3));
			client.connect(leader);
			client.send(command());
			while (this.cluster.pending() > 0) {
				this.cluster.commit();
			}
			SimulatedNode node = this.cluster.node(this.random.nextInt(3));
			if (!node.isCurrent()) {
				applyOrEnd(node);
			}
			this.clients.forEach(SimulatedClient::receive);
		}
		return this.history;
	}

	private void applyOrEnd(SimulatedNode node) {
		try {
			node.apply();
		}
		catch (IllegalStateException ex) {
			if (!node.hasEnded()) {
				throw new AssertionError("A node continues after an exception of its machine", ex);
			}
			node.follow();
		}
	}

	private void step() {
		SimulatedNode node = this.cluster.node(this.random.nextInt(3));
		SimulatedClient client = this.clients.get(this.random.nextInt(3));
		SimulatedSession session = this.sessions.get(this.random.nextInt(3));
		int event = this.random.nextInt(100);
		if (event < 15) {
			client.send(command());
		}
		else if (event < 25) {
			session.publish();
		}
		else if (event < 35) {
			client.connect(node);
			session.connect(node);
		}
		else if (event < 55 && this.cluster.pending() > 0 && this.cluster.hasLeader()) {
			this.cluster.commit();
		}
		else if (event < 75 && !node.isCurrent()) {
			node.apply();
		}
		else if (event < 90 && this.cluster.hasMessages()) {
			this.cluster.deliver();
		}
		else if (event < 95) {
			pass(Duration.ofNanos((long) Math.pow(10, this.random.nextInt(9))));
		}
		else {
			fault(node);
		}
	}

	private void pass(Duration time) {
		this.cluster.pass(time);
		if (this.cluster.hasLeader() && this.cluster.leader().isReady()) {
			Objects.requireNonNull(this.cluster.leader().server().sessionLog()).expire((clientId) -> false);
		}
	}

	/** Stores committed entries on a majority of nodes. */
	private void store() {
		if (this.cluster.hasLeader()) {
			this.logs.commit(this.cluster.nodes.indexOf(this.cluster.leader()), this.cluster.committed());
		}
	}

	private void fault(SimulatedNode node) {
		int number = this.cluster.nodes.indexOf(node);
		switch (this.random.nextInt(7)) {
			case 0, 1 -> {
				this.failovers++;
				this.cluster.elect(this.cluster.node(this.logs.elect(number, this.cluster.committed())),
						this.random.nextInt(this.cluster.pending() + 1));
			}
			case 2 -> {
				if (this.cluster.hasLeader()) {
					this.cluster.interruptLeader();
				}
			}
			case 3 -> node.install(this.cluster.node(this.random.nextInt(3)), this.random.nextInt(5));
			case 4 -> {
				if (this.cluster.hasLeader() && this.cluster.leader() == node) {
					this.cluster.depose();
				}
				node.restart();
			}
			case 5 -> {
				if (this.cluster.hasLeader() && this.cluster.leader() == node) {
					this.cluster.depose();
				}
				this.logs.restart(number, this.cluster.committed());
			}
			default -> {
				node.wallOffset = this.random.nextInt(20_000) - 10_000;
				this.cluster.full = this.random.nextInt(4) == 0;
			}
		}
	}

	private Command command() {
		if (this.random.nextInt(3) > 0) {
			return Histories.command(this.random);
		}
		return new Command.Set(LOCK, Bytes.of(Integer.toString(this.random.nextInt(3))), Condition.IF_ABSENT_OR_EQUAL,
				Duration.ofMillis(10 + this.random.nextInt(300)));
	}

	/** Waits until every client has its replies and all replicas are equal. */
	private void end() {
		this.cluster.unreliable = false;
		this.cluster.full = false;
		this.cluster.elect(this.cluster.node(this.random.nextInt(3)), this.cluster.pending());
		for (int step = 0; this.clients.stream().anyMatch(SimulatedClient::isWaiting)
				|| !SimulatedSession.areDone(this.sessions); step++) {
			if (step == MAX_STEPS) {
				throw new AssertionError("Requests or messages remain: " + this.clients + ", " + this.sessions);
			}
			this.cluster.settle();
			this.clients.forEach((client) -> client.connect(this.cluster.leader()));
			this.sessions.forEach((session) -> session.connect(this.cluster.leader()));
			this.clients.forEach(SimulatedClient::receive);
			this.sessions.forEach(SimulatedSession::receive);
			pass(Duration.ofMillis(1));
		}
		this.cluster.settle();
	}

	/** Returns the versions of all changes known to clients. */
	List<Version> versions() {
		return this.history.stream().filter(Operation::hasChanged).map(Operation::version).toList();
	}

	/** Returns the number of acknowledged messages. */
	int published() {
		return this.sessions.stream().mapToInt(SimulatedSession::published).sum();
	}

	int failovers() {
		return this.failovers;
	}

	/** Returns how often a node has refused its damaged log. */
	int refusedLogs() {
		return this.logs.refused();
	}

	int resent() {
		return this.clients.stream().mapToInt(SimulatedClient::resent).sum();
	}

	@Override
	public void close() {
		this.cluster.close();
		this.logs.close();
	}

}
