package io.statestore.broker.server;

import java.nio.file.Path;
import java.util.function.BiFunction;

import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.memory.HeapPlan;

/**
 * Sizes in a server that only tests change. All sizes are in bytes.
 *
 * @param maxHeld maximum estimated memory of entries waiting for the log
 * @param segmentBytes size of a segment of the log
 * @param minLogBytes minimum size of the log behind the latest snapshot for a new
 * snapshot
 * @param logs opens the log in a directory
 */
record ServerTuning(long maxHeld, long segmentBytes, long minLogBytes, BiFunction<Path, LogOptions, FileLog> logs) {

	static ServerTuning ofThisJvm() {
		return new ServerTuning(HeapPlan.ofThisJvm().logMemory(), LogOptions.SEGMENT_BYTES,
				SnapshotWriter.MIN_LOG_BYTES, FileLog::open);
	}

}
