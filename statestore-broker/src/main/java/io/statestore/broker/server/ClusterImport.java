package io.statestore.broker.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.engine.StateSnapshot;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Converts between backups and the data of nodes that are not running. */
public final class ClusterImport {

	private static final int SLICE_BYTES = 128 << 10;

	private ClusterImport() {
	}

	/**
	 * Reads a state into memory and writes it in the format that {@link Replica#restore}
	 * accepts. The same state and version always result in the same bytes. The first
	 * leader raises the versions above those that the original store may have issued
	 * after the backup, because the leader's system clock is later.
	 * @param state the state in a backup; not closed by this method
	 * @param after version that all new versions exceed, or {@code null} to rely on the
	 * first leader's system clock
	 * @param output the target; not closed by this method
	 * @return the number of keys
	 * @throws IOException if reading or writing fails
	 * @throws io.statestore.broker.codec.StateFormatException if a newer version wrote
	 * the backup
	 */
	public static long write(InputStream state, @Nullable Version after, OutputStream output) throws IOException {
		StateMachine machine = StateMachine.restore(state, ClusterImport::ignore);
		// A value above 0 stays in the state until the first leader has raised the
		// versions.
		long lostMillis = Math.max(1, machine.maxLostMillis());
		machine.apply(new LogEntry.Start(machine.logTime(), machine.wallMillis(), null, 0, machine.quota(),
				machine.replyMemory(), after, true, lostMillis));
		return write(machine, output);
	}

	/**
	 * Writes a node's data as the state in a backup. Reads all keys into memory.
	 * @param snapshot the node's latest snapshot, {@code null} if there is none
	 * @param entries the consensus entries after the snapshot
	 * @param output the target; not closed by this method
	 * @return the number of keys
	 * @throws IOException if reading or writing fails
	 * @throws io.statestore.broker.codec.StateFormatException if a newer version wrote
	 * the data
	 */
	public static long writeBackup(@Nullable InputStream snapshot, Iterable<ByteBuffer> entries, OutputStream output)
			throws IOException {
		StateMachine machine = (snapshot != null) ? StateMachine.restore(snapshot, ClusterImport::ignore)
				: new StateMachine(ClusterImport::ignore);
		for (ByteBuffer entry : entries) {
			ReplicatedEntry.decode(entry, (requester) -> requester).forEach(machine::apply);
		}
		return write(machine, output);
	}

	private static long write(StateMachine machine, OutputStream output) throws IOException {
		try (StateSnapshot snapshot = machine.beginSnapshot()) {
			for (ByteBuffer slice = snapshot.next(SLICE_BYTES); slice != null; slice = snapshot.next(SLICE_BYTES)) {
				output.write(slice.array(), slice.arrayOffset() + slice.position(), slice.remaining());
			}
		}
		return machine.keyCount();
	}

	private static void ignore(Object key, @Nullable Object value, Object version, @Nullable Object author) {
		// There are no watchers to notify.
	}

}
