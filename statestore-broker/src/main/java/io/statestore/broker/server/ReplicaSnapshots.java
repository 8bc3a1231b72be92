package io.statestore.broker.server;

import java.io.IOException;
import java.io.OutputStream;

import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.engine.StateSnapshot;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica's snapshots, at most one at a time. Used within the serial executor, except
 * for {@link #write}.
 */
final class ReplicaSnapshots {

	private static final Logger logger = LoggerFactory.getLogger(ReplicaSnapshots.class);

	private final SerialExecutor serial;

	private final long maxKept;

	/** The snapshot being written. */
	private @Nullable StateSnapshot current;

	/**
	 * Creates an object without a snapshot.
	 * @param maxKept maximum memory for keys that change before they are written, in
	 * bytes
	 */
	ReplicaSnapshots(SerialExecutor serial, long maxKept) {
		this.serial = serial;
		this.maxKept = maxKept;
	}

	/** Begins a snapshot. An earlier snapshot must have {@linkplain #end() ended}. */
	StateSnapshot begin(StateMachine machine) {
		StateSnapshot snapshot = machine.beginSnapshot();
		this.current = snapshot;
		return snapshot;
	}

	/** Ends a snapshot that holds too much memory. Called after each entry. */
	void limit() {
		if (this.current != null && this.current.keptBytes() > this.maxKept) {
			logger.warn("Abandoned a snapshot of the store, because keys change faster than the disk can store it. The "
					+ "log grows until a snapshot succeeds. If this happens repeatedly, use a faster disk");
			end();
		}
	}

	/** Ends the snapshot that is being written. */
	void end() {
		if (this.current != null) {
			this.current.close();
			this.current = null;
		}
	}

	private void end(StateSnapshot snapshot) {
		if (this.current == snapshot) {
			end();
		}
	}

	/** Writes a snapshot on another thread and ends it. */
	void write(StateSnapshot snapshot, OutputStream output) throws IOException {
		try {
			SnapshotSlices slices = new SnapshotSlices(snapshot, this.serial, () -> this.current != snapshot,
					(bytes) -> snapshot.keptBytes() > this.maxKept / 2);
			if (!slices.writeTo(output)) {
				throw new IOException("The snapshot was abandoned");
			}
		}
		finally {
			this.serial.execute(() -> end(snapshot));
		}
	}

}
