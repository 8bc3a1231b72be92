package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import io.statestore.broker.log.DamagedLogException;
import io.statestore.broker.log.EntryBatch;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.TestDisk;
import io.statestore.broker.storage.Fsync;
import org.jspecify.annotations.Nullable;

/**
 * Logs of a simulated cluster's nodes on simulated disks. A majority stores each
 * committed entry, and a majority elects a leader: the voter with the longest log, as in
 * Raft (Ongaro and Ousterhout, 2014, section 5.4). A node whose log is refused does not
 * vote until it has been replaced.
 */
final class SimulatedLogs implements AutoCloseable {

	private static final Path DIRECTORY = Path.of("/node");

	private static final LogOptions OPTIONS = new LogOptions(Fsync.ALWAYS, Duration.ofSeconds(1), 4_096);

	private final Random random;

	private final List<Node> nodes = new ArrayList<>();

	private int refused;

	SimulatedLogs(long seed, int size) {
		this.random = new Random(seed);
		for (int i = 0; i < size; i++) {
			this.nodes.add(new Node());
		}
	}

	/** Stores committed entries on the leader and on another node. */
	void commit(int leader, int committed) {
		this.nodes.get(leader).append(committed);
		this.nodes.get(other(leader)).append(committed);
	}

	/**
	 * Elects a leader.
	 * @return the number of the node that wins
	 */
	int elect(int candidate, int committed) {
		int first = isVoter(candidate) ? candidate : other(candidate);
		int second = other(first);
		int winner = (this.nodes.get(second).stored() > this.nodes.get(first).stored()) ? second : first;
		if (this.nodes.get(winner).stored() < committed) {
			throw new AssertionError("Node " + winner + " leads with " + this.nodes.get(winner).stored() + " of "
					+ committed + " acknowledged entries");
		}
		return winner;
	}

	boolean isVoter(int node) {
		return this.nodes.get(node).log != null;
	}

	/** Returns another node that votes. */
	private int other(int node) {
		int[] others = IntStream.range(0, this.nodes.size())
			.filter((other) -> other != node && isVoter(other))
			.toArray();
		return others[this.random.nextInt(others.length)];
	}

	/**
	 * Restarts a node, either unharmed or with a log whose end is damaged. If a node does
	 * not vote, first replaces it with an empty node, which catches up.
	 */
	void restart(int node, int committed) {
		for (int i = 0; i < this.nodes.size(); i++) {
			if (!isVoter(i)) {
				this.nodes.set(i, new Node());
				this.nodes.get(i).append(committed);
			}
		}
		Node restarted = this.nodes.get(node);
		switch (this.random.nextInt(4)) {
			case 0 -> restarted.disk.cutPower();
			case 1 -> restarted.disk.kill();
			case 2 -> {
				restarted.close();
				restarted.disk.damageEnd(DIRECTORY);
			}
			default -> {
				restarted.disk.kill();
				restarted.disk.damageEnd(DIRECTORY);
			}
		}
		restarted.open();
	}

	/** Returns how often a node has refused its log. */
	int refused() {
		return this.refused;
	}

	@Override
	public void close() {
		this.nodes.forEach(Node::close);
	}

	/** The log of one node. */
	private final class Node {

		private final TestDisk disk = new TestDisk(SimulatedLogs.this.random.nextLong());

		private @Nullable FileLog log;

		Node() {
			open();
		}

		void open() {
			FileLog opened = this.disk.open(DIRECTORY, OPTIONS);
			try {
				opened.replay((firstIndex, entries) -> {
				});
				this.log = opened;
			}
			catch (DamagedLogException ex) {
				opened.close();
				this.log = null;
				SimulatedLogs.this.refused++;
			}
		}

		long stored() {
			FileLog log = this.log;
			return (log != null) ? log.lastIndex() : 0;
		}

		void append(int committed) {
			EntryBatch batch = new EntryBatch();
			FileLog log = this.log;
			while (log != null && log.lastIndex() < committed) {
				batch.clear();
				batch.add(new byte[SimulatedLogs.this.random.nextInt(100)]);
				log.append(batch);
			}
		}

		void close() {
			if (this.log != null) {
				this.log.close();
			}
		}

	}

}
