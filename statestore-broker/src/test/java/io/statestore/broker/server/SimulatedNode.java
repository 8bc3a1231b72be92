package io.statestore.broker.server;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.statestore.broker.engine.Quota;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.server.SimulatedCluster.Entry;
import org.jspecify.annotations.Nullable;

/** A node of a {@link SimulatedCluster}. */
final class SimulatedNode implements AutoCloseable {

	private static final ServerTuning TUNING = new ServerTuning(1 << 20, 1, 1, FileLog::open);

	final ManualScheduler scheduler;

	final List<Error> errors = new ArrayList<>();

	private final SimulatedCluster cluster;

	/** Offset of the monotonic clock from other nodes' clocks. */
	private final long origin;

	/** Offset of the system clock from the time, in milliseconds. */
	long wallOffset;

	/** Memory for the content of the next replica, in bytes. */
	long memory = Long.MAX_VALUE;

	Replica replica;

	/** The term in which this node believes it is the leader. */
	SimulatedCluster.@Nullable Term leading;

	/** The server for this term. */
	private @Nullable StateStoreServer server;

	private boolean ready;

	/** Number of entries that the replica has applied. */
	private int applied;

	/** Whether the replica has failed, which ends the node. */
	private boolean ended;

	SimulatedNode(SimulatedCluster cluster) {
		this.cluster = cluster;
		this.origin = cluster.random.nextInt();
		this.scheduler = new ManualScheduler(this::nanos);
		this.replica = newReplica();
	}

	private long nanos() {
		return this.origin + this.cluster.nanos;
	}

	private Replica newReplica() {
		StateStoreServerOptions options = StateStoreServerOptions.defaults()
			.withNanoClock(this::nanos)
			.withWallClock(() -> 1_700_000_000_000L + this.cluster.nanos / 1_000_000 + this.wallOffset)
			.withQuota(Quota.UNLIMITED.withSessions(1 << 20, 1 << 19))
			.withReplyMemory(1 << 20)
			.withScheduler(this.scheduler);
		return new Replica(options, TUNING, this.memory, this.errors::add);
	}

	/** Ends the process and starts another process without data. */
	void restart() {
		this.replica.close();
		this.scheduler.shutdown();
		forget();
		this.replica = newReplica();
		this.applied = 0;
	}

	private void forget() {
		this.leading = null;
		this.server = null;
		this.ready = false;
	}

	void lead(SimulatedCluster.Term term) {
		this.leading = term;
		this.server = this.replica.lead(term, () -> this.ready = this.leading == term);
	}

	/** Learns that this node is not the leader. */
	void follow() {
		this.replica.follow();
		forget();
	}

	/** Returns whether clients may connect. */
	boolean isReady() {
		return this.ready;
	}

	StateStoreServer server() {
		return Objects.requireNonNull(this.server);
	}

	/** Returns whether this node has applied all committed entries or has ended. */
	boolean isCurrent() {
		return this.ended || this.applied == this.cluster.committed();
	}

	/** Returns whether an error of the replica has ended this node. */
	boolean hasEnded() {
		return this.ended;
	}

	void applyAll() {
		while (!isCurrent()) {
			apply();
		}
	}

	/** Applies the next entry. */
	void apply() {
		applyNext();
		if (!this.ended) {
			this.cluster.check(this.applied, state());
		}
	}

	private void applyNext() {
		Entry entry = this.cluster.entry(this.applied);
		if (this.leading != null && entry.committer != this.leading) {
			follow();
		}
		// The consensus may or may not have dropped proposals from an earlier term.
		boolean known = entry.proposer == this.leading
				|| (entry.proposer.node == this && entry.committer != null && entry.committer.node == this);
		this.applied++;
		try {
			this.replica.apply(0, 0, entry.bytes.duplicate(), known ? entry.batch : null);
		}
		catch (IllegalStateException ex) {
			this.ended = !this.errors.isEmpty();
			throw ex;
		}
	}

	/** Returns the state after the last entry. */
	byte[] state() {
		ByteArrayOutputStream output = new ByteArrayOutputStream();
		try {
			this.replica.snapshot().write(output);
		}
		catch (IOException ex) {
			// The store is empty.
			return new byte[0];
		}
		return output.toByteArray();
	}

	/**
	 * Replaces the state with a snapshot of another node, which applies more entries
	 * while its snapshot is written.
	 */
	void install(SimulatedNode source, int entries) {
		int index = source.applied;
		boolean leads = this.cluster.hasLeader() && this.cluster.leader() == this;
		if (leads || index <= this.applied || source.state().length == 0) {
			return;
		}
		if (this.leading != null) {
			follow();
		}
		Replica.Snapshot snapshot = source.replica.snapshot();
		for (int i = 0; i < entries && !source.isCurrent(); i++) {
			source.applyNext();
		}
		ByteArrayOutputStream output = new ByteArrayOutputStream();
		try {
			snapshot.write(output);
			this.replica.restore(0, null, new ByteArrayInputStream(output.toByteArray()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.applied = index;
		this.cluster.check(index, state());
	}

	@Override
	public void close() {
		this.replica.close();
	}

}
