package io.statestore.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;

import io.statestore.broker.server.Replica;
import io.statestore.cluster.storage.RaftLog;
import org.jspecify.annotations.Nullable;

/**
 * Deterministic state machine that every node runs. All methods except {@link #failed}
 * are called by one thread at a time. If the node repairs itself after a disk error, the
 * machine is only notified that it no longer leads.
 */
public interface ReplicatedMachine {

	/**
	 * Called before the first entry or snapshot, and again after the node has repaired
	 * itself.
	 * @param log the node's open log
	 */
	default void starting(RaftLog log) {
	}

	/**
	 * Applies a committed entry. Called once for each entry, in the same order on every
	 * node. An exception ends the node, because its machine would otherwise differ from
	 * other nodes' machines.
	 * @param index index of the entry
	 * @param term term of the entry
	 * @param entry the entry, valid only during the call
	 * @param attachment object that this node attached to its proposal, {@code null} if
	 * the entry was proposed by another node, or in an earlier term
	 */
	void apply(long index, long term, ByteBuffer entry, @Nullable Object attachment);

	/**
	 * Returns the current state, which can be written while more entries are applied.
	 * @return a snapshot of the state
	 */
	Replica.Snapshot snapshot();

	/**
	 * Replaces the state with a snapshot's state.
	 * @param index index of the last entry that the snapshot contains
	 * @param file the snapshot's file
	 * @param input content that {@link Replica.Snapshot#write} wrote
	 * @throws IOException if reading fails
	 */
	void restore(long index, Path file, InputStream input) throws IOException;

	/**
	 * Called when this node has become the leader and has applied all entries of earlier
	 * leaders.
	 * @param term the term in which it leads
	 */
	default void leading(long term) {
	}

	/** Called when this node is no longer the leader. */
	default void following() {
	}

	/**
	 * Called when this node has failed and no longer takes part in the cluster, because
	 * the machine threw an exception or a file is damaged. The node must be closed, and
	 * started with another machine.
	 * @param failure why the node has failed
	 */
	default void failed(Throwable failure) {
	}

}
