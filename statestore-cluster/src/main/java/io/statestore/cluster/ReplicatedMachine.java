package io.statestore.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;

import io.statestore.broker.server.Replica;
import io.statestore.cluster.storage.RaftLog;
import org.jspecify.annotations.Nullable;

/**
 * A deterministic state machine that every node runs. All methods but {@link #failed} are
 * called by one thread at a time. The node may repair itself after an error of the disk.
 * The machine only learns that it no longer leads.
 */
public interface ReplicatedMachine {

	/**
	 * Called before the first entry or snapshot, and again after the node has repaired
	 * itself.
	 * @param log the open log of the node
	 */
	default void starting(RaftLog log) {
	}

	/**
	 * Applies a committed entry. Called once for each, in the same order on every node.
	 * An exception ends the node, because the machines would differ otherwise.
	 * @param index index of the entry
	 * @param term its term
	 * @param entry the entry, valid during the call only
	 * @param attachment what this node attached to its proposal, {@code null} if another
	 * node proposed the entry, or this one in an earlier term
	 */
	void apply(long index, long term, ByteBuffer entry, @Nullable Object attachment);

	/**
	 * Returns the current state, to be written while further entries are applied.
	 * @return the state
	 */
	Replica.Snapshot snapshot();

	/**
	 * Replaces the state by that of a snapshot.
	 * @param index index of the last entry whose effect the snapshot contains
	 * @param file the file of the snapshot
	 * @param input what {@link Replica.Snapshot#write} wrote
	 * @throws IOException if reading fails
	 */
	void restore(long index, Path file, InputStream input) throws IOException;

	/**
	 * Called when this node has become the leader, and has applied all entries of earlier
	 * leaders.
	 * @param term the term of the leader
	 */
	default void leading(long term) {
	}

	/** Called when this node is no longer the leader. */
	default void following() {
	}

	/**
	 * Called when this node has failed, and no longer takes part in the cluster: the
	 * machine threw an exception, or a file is damaged. The node has to be closed, and
	 * started with another machine.
	 * @param failure the reason
	 */
	default void failed(Throwable failure) {
	}

}
