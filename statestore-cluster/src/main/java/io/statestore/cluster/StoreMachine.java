package io.statestore.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;

import io.statestore.broker.cluster.NodeEvents;
import io.statestore.broker.server.Replica;
import io.statestore.cluster.storage.RaftLog;
import org.jspecify.annotations.Nullable;

/** A node's state machine, which is its copy of the store. */
final class StoreMachine implements ReplicatedMachine {

	private final Replica replica;

	private final int maxEntryBytes;

	private final NodeEvents events;

	/**
	 * The node, {@code null} until its start has returned. It may already lead before
	 * that.
	 */
	private volatile @Nullable RaftNode node;

	/**
	 * Creates a machine.
	 * @param maxEntryBytes maximum size of an entry, in bytes
	 */
	StoreMachine(Replica replica, int maxEntryBytes, NodeEvents events) {
		this.replica = replica;
		this.maxEntryBytes = maxEntryBytes;
		this.events = events;
	}

	/**
	 * Sets the node that runs this machine. Until then, entries wait.
	 * @param node the started node
	 */
	void started(RaftNode node) {
		this.node = node;
		this.replica.failure().thenAccept(node::fail);
	}

	@Override
	public void starting(RaftLog log) {
		if (log.hasHistory()) {
			this.replica.keepHistory(log);
		}
	}

	@Override
	public void apply(long index, long term, ByteBuffer entry, @Nullable Object attachment) {
		this.replica.apply(index, term, entry, attachment);
	}

	@Override
	public Replica.Snapshot snapshot() {
		return this.replica.snapshot();
	}

	@Override
	public void restore(long index, Path file, InputStream input) throws IOException {
		this.replica.restore(index, file, input);
	}

	@Override
	public void leading(long term) {
		this.events.leading(new TermLog(() -> this.node, term, this.maxEntryBytes));
	}

	@Override
	public void following() {
		try {
			this.replica.follow();
		}
		finally {
			this.events.following();
		}
	}

	@Override
	public void failed(Throwable failure) {
		try {
			following();
		}
		finally {
			this.events.failed(failure);
		}
	}

}
