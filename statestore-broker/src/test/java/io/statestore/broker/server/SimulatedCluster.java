package io.statestore.broker.server;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;

import io.statestore.broker.server.ReplicatedLog.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Replicas on a simulated consensus, in a single thread. The test decides about every
 * event: when an entry is committed, when a node applies it, which node leads, and when a
 * node learns of that. Verifies that all nodes have the same state after each entry.
 */
final class SimulatedCluster implements AutoCloseable {

	static final int MAX_ENTRY_BYTES = 64 << 10;

	final List<SimulatedNode> nodes = new ArrayList<>();

	final Random random;

	/** Whether the consensus randomly drops, delays, and refuses entries. */
	boolean unreliable;

	/** Whether the disk of each leader is full. */
	boolean full;

	/** Whether a full disk has room for essential entries. */
	boolean reserve;

	/** The machines' time, in nanoseconds. */
	long nanos;

	/** Outcomes and confirmations on their way. */
	private final List<Runnable> messages = new ArrayList<>();

	/** Committed entries. */
	private final List<Entry> log = new ArrayList<>();

	/** The leader's entries that are not committed yet. */
	private final Deque<Entry> pending = new ArrayDeque<>();

	/** State after each entry. */
	private final Map<Integer, byte[]> states = new HashMap<>();

	private @Nullable Term term;

	SimulatedCluster(long seed, int size) {
		this.random = new Random(seed);
		for (int i = 0; i < size; i++) {
			this.nodes.add(new SimulatedNode(this));
		}
	}

	SimulatedNode node(int index) {
		return this.nodes.get(index);
	}

	/** Returns the number of committed entries. */
	int committed() {
		return this.log.size();
	}

	/** Returns the number of entries that are proposed but not committed. */
	int pending() {
		return this.pending.size();
	}

	/** Lets time pass on all nodes and runs due tasks. */
	void pass(Duration time) {
		this.nanos += time.toNanos();
		this.nodes.forEach((node) -> node.scheduler.runDue());
	}

	/** Commits the leader's next entry. */
	void commit() {
		Entry entry = this.pending.remove();
		if (this.unreliable && this.random.nextInt(20) == 0) {
			fail(entry, this.random.nextBoolean() ? Outcome.REJECTED : Outcome.UNKNOWN);
		}
		else {
			append(entry);
		}
	}

	private void append(Entry entry) {
		entry.committer = this.term;
		this.log.add(entry);
	}

	/** Drops the leader's next entry. */
	void drop(Outcome outcome) {
		fail(this.pending.remove(), outcome);
	}

	private void fail(Entry entry, Outcome outcome) {
		this.messages.add(() -> entry.failed.accept(outcome));
	}

	boolean hasMessages() {
		return !this.messages.isEmpty();
	}

	/** Delivers one of the outcomes and confirmations. */
	void deliver() {
		this.messages.remove(this.unreliable ? this.random.nextInt(this.messages.size()) : 0).run();
	}

	/** Commits, applies, and delivers everything. */
	void settle() {
		while (hasMessages() || !this.pending.isEmpty() || !this.nodes.stream().allMatch(SimulatedNode::isCurrent)) {
			while (!this.pending.isEmpty()) {
				commit();
			}
			this.nodes.forEach(SimulatedNode::applyAll);
			while (hasMessages()) {
				deliver();
			}
		}
	}

	/**
	 * Makes a node the leader. The earlier leader does not learn of it.
	 * @param survivors number of the earlier leader's uncommitted entries that the new
	 * leader has
	 */
	void elect(SimulatedNode node, int survivors) {
		Term next = new Term(node);
		this.term = next;
		for (int i = 0; i < survivors; i++) {
			append(this.pending.element());
			fail(this.pending.remove(), Outcome.UNKNOWN);
		}
		while (!this.pending.isEmpty()) {
			fail(this.pending.remove(), Outcome.UNKNOWN);
		}
		node.applyAll();
		node.follow();
		node.lead(next);
	}

	/**
	 * Makes the leader follow and then lead again in the same term, as after a failed
	 * attempt to transfer leadership.
	 */
	void interruptLeader() {
		SimulatedNode node = leader();
		Term next = new Term(node);
		this.term = next;
		node.follow();
		node.lead(next);
	}

	/** Elects a node and commits its first entry. */
	SimulatedNode start(int index) {
		SimulatedNode node = node(index);
		elect(node, 0);
		settle();
		return node;
	}

	/** Returns the node that leads. */
	SimulatedNode leader() {
		return Objects.requireNonNull(this.term).node;
	}

	boolean hasLeader() {
		return this.term != null;
	}

	/** Ends the leadership without electing another leader. */
	void depose() {
		this.term = null;
	}

	/** Lets a leader continue in its earlier term. */
	void resume(@Nullable Term term) {
		this.term = term;
	}

	/** Returns a committed entry. */
	Entry entry(int index) {
		return this.log.get(index);
	}

	/** Compares a node's state with the other nodes' states after the same entry. */
	void check(int index, byte[] state) {
		byte[] first = this.states.putIfAbsent(index, state);
		if (first != null && !Arrays.equals(first, state)) {
			throw new AssertionError("The replicas differ after entry " + index);
		}
	}

	@Override
	public void close() {
		this.nodes.forEach(SimulatedNode::close);
	}

	/** An entry of the simulated log. */
	static final class Entry {

		final ByteBuffer bytes;

		final Object batch;

		final Term proposer;

		private final Consumer<Outcome> failed;

		/** The leader that has committed the entry. */
		@Nullable Term committer;

		Entry(ByteBuffer bytes, Object batch, Term proposer, Consumer<Outcome> failed) {
			this.bytes = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip().asReadOnlyBuffer();
			this.batch = batch;
			this.proposer = proposer;
			this.failed = failed;
		}

	}

	/** A node's leadership term. */
	final class Term implements ReplicatedLog {

		final SimulatedNode node;

		Term(SimulatedNode node) {
			this.node = node;
		}

		private boolean isCurrent() {
			return SimulatedCluster.this.term == this;
		}

		private boolean happens(int oneIn) {
			return SimulatedCluster.this.unreliable && SimulatedCluster.this.random.nextInt(oneIn) == 0;
		}

		@Override
		public boolean propose(ByteBuffer entry, Object batch, Consumer<Outcome> failed) {
			if (entry.remaining() > MAX_ENTRY_BYTES) {
				throw new AssertionError("An entry has " + entry.remaining() + " bytes");
			}
			if (happens(10)) {
				return false;
			}
			Entry proposed = new Entry(entry, batch, this, failed);
			if (SimulatedCluster.this.full) {
				fail(proposed, Outcome.REJECTED);
			}
			else if (isCurrent()) {
				SimulatedCluster.this.pending.add(proposed);
			}
			else if (!happens(2)) {
				fail(proposed, Outcome.UNKNOWN);
			}
			return true;
		}

		@Override
		public boolean proposeEssential(ByteBuffer entry, Object batch, Consumer<Outcome> failed) {
			boolean full = SimulatedCluster.this.full;
			SimulatedCluster.this.full = full && !SimulatedCluster.this.reserve;
			try {
				return propose(entry, batch, failed);
			}
			finally {
				SimulatedCluster.this.full = full;
			}
		}

		@Override
		public void confirm(Consumer<Boolean> result) {
			boolean now = isCurrent();
			SimulatedCluster.this.messages
				.add(() -> result.accept(!happens(10) && ((now && happens(2)) || isCurrent())));
		}

		@Override
		public boolean hasSpace() {
			return !SimulatedCluster.this.full;
		}

		@Override
		public int maxEntryBytes() {
			return MAX_ENTRY_BYTES;
		}

	}

}
