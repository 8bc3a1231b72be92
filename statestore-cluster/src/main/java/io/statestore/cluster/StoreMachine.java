package io.statestore.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;

import io.statestore.broker.server.Replica;
import io.statestore.cluster.storage.RaftLog;
import org.jspecify.annotations.Nullable;

/** The copy of a store as the machine of a node. */
final class StoreMachine implements ReplicatedMachine {

	private final Replica replica;

	private final int maxEntryBytes;

	private final StoreListener listener;

	/** Set once the node has started. It may lead before. */
	private volatile @Nullable RaftNode node;

	/**
	 * Creates a machine.
	 * @param maxEntryBytes maximum size of an entry of the node, in bytes
	 */
	StoreMachine(Replica replica, int maxEntryBytes, StoreListener listener) {
		this.replica = replica;
		this.maxEntryBytes = maxEntryBytes;
		this.listener = listener;
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
	public Snapshot snapshot() {
		Replica.Snapshot snapshot = this.replica.snapshot();
		return new Snapshot() {

			@Override
			public void write(OutputStream output) throws IOException {
				snapshot.write(output);
			}

			@Override
			public void written(long index, Path file) throws IOException {
				snapshot.written(index, file);
			}

		};
	}

	@Override
	public void restore(long index, Path file, InputStream input) throws IOException {
		this.replica.restore(index, file, input);
	}

	@Override
	public void leading(long term) {
		this.listener.leading(new TermLog(() -> this.node, term, this.maxEntryBytes));
	}

	@Override
	public void following() {
		try {
			this.replica.follow();
		}
		finally {
			this.listener.following();
		}
	}

	@Override
	public void failed(Throwable failure) {
		try {
			following();
		}
		finally {
			this.listener.failed(failure);
		}
	}

}
