package io.statestore.broker.server;

import java.nio.file.Path;

import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.memory.HeapPlan;

/**
 * Sizes in a server that only tests change. All sizes are in bytes.
 *
 * @param maxHeld maximum estimated memory of entries waiting for the log, and of changes
 * waiting for the journal
 * @param segmentBytes size of a segment of the log
 * @param minLogBytes minimum size of the log behind the latest snapshot for a new
 * snapshot
 * @param logs opens the log in a directory
 */
record ServerTuning(long maxHeld, long segmentBytes, long minLogBytes, LogOpener logs) {

	static ServerTuning ofThisJvm(StateStoreServerOptions options) {
		long memory = HeapPlan.ofThisJvm().journalMemory();
		// Both share the memory
		boolean shared = options.journal() != null && options.storage() != null;
		return new ServerTuning(shared ? memory / 2 : memory, LogOptions.SEGMENT_BYTES, SnapshotWriter.MIN_LOG_BYTES,
				FileLog::open);
	}

	/** Opens a log. */
	@FunctionalInterface
	interface LogOpener {

		FileLog open(Path directory, LogOptions options);

	}

}
