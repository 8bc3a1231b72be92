package io.statestore.broker.server;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;

import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.Quota;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.engine.StateSnapshot;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.SnapshotInput;
import io.statestore.broker.storage.Fsync;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Conversion of a restored store to the state with which a cluster begins. */
public final class ClusterImport {

	/** Result for a store that has never been started. Nothing was written. */
	public static final long NEVER_USED = -1;

	private static final int SLICE_BYTES = 128 << 10;

	/** Not used, because nothing is appended. */
	private static final LogOptions OPTIONS = new LogOptions(Fsync.ALWAYS, Duration.ofSeconds(1), 1 << 20);

	private ClusterImport() {
	}

	/**
	 * Reads a store into memory, and writes its state as {@link Replica#restore} accepts
	 * it. The same store and version always result in the same bytes. The first leader
	 * raises the versions above those that the original store may have issued behind the
	 * backup, because its system clock is later than theirs.
	 * @param directory directory of a store that no process uses
	 * @param after version that all new versions exceed, or {@code null} to rely on the
	 * system clock of the first leader
	 * @param output the target, which is not closed
	 * @return the number of keys, or {@link #NEVER_USED}
	 * @throws IOException if reading or writing fails
	 * @throws io.statestore.broker.log.LogException if the store cannot be used, or is
	 * damaged
	 * @throws io.statestore.broker.codec.StateFormatException if a newer version wrote
	 * the store
	 */
	public static long write(Path directory, @Nullable Version after, OutputStream output) throws IOException {
		StateMachine machine = read(directory);
		if (!machine.isStarted()) {
			return NEVER_USED;
		}
		// Kept in the state until the first leader has raised the versions.
		long lostMillis = Math.max(1, machine.maxLostMillis());
		Quota quota = machine.quota().withSessions(Long.MAX_VALUE, Long.MAX_VALUE);
		machine.removeSessions();
		machine.apply(new LogEntry.Start(machine.logTime(), machine.wallMillis(), null, 0, quota, machine.replyMemory(),
				after, true, false, lostMillis));
		try (StateSnapshot snapshot = machine.beginSnapshot()) {
			for (ByteBuffer slice = snapshot.next(SLICE_BYTES); slice != null; slice = snapshot.next(SLICE_BYTES)) {
				output.write(slice.array(), slice.arrayOffset() + slice.position(), slice.remaining());
			}
		}
		return machine.keyCount();
	}

	private static StateMachine read(Path directory) throws IOException {
		try (FileLog log = FileLog.open(directory, OPTIONS)) {
			StateMachine machine = restore(log);
			try (Replay replay = new Replay(machine, (start) -> {
			})) {
				log.replay(replay, (bytesDone, bytesTotal) -> {
				});
				replay.finish();
			}
			return machine;
		}
	}

	private static StateMachine restore(FileLog log) throws IOException {
		try (SnapshotInput snapshot = log.snapshot()) {
			return (snapshot != null) ? StateMachine.restore(snapshot, ClusterImport::ignore)
					: new StateMachine(ClusterImport::ignore);
		}
	}

	private static void ignore(Object key, @Nullable Object value, Object version, @Nullable Object author) {
		// There are no observers.
	}

}
