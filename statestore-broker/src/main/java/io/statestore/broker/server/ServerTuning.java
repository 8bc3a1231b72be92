package io.statestore.broker.server;

import java.nio.file.Path;
import java.util.function.BiFunction;

import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.memory.HeapPlan;

/**
 * Server sizes that only tests change, in bytes.
 *
 * @param maxHeld maximum estimated memory of entries waiting for the log
 * @param segmentBytes size of a log segment
 * @param minLogBytes minimum log size after the latest snapshot at which to write a new
 * snapshot
 * @param logs opens the log in a directory
 */
record ServerTuning(long maxHeld, long segmentBytes, long minLogBytes, BiFunction<Path, LogOptions, FileLog> logs) {

	static ServerTuning ofThisJvm() {
		return new ServerTuning(HeapPlan.ofThisJvm().logMemory(), LogOptions.SEGMENT_BYTES,
				SnapshotWriter.MIN_LOG_BYTES, FileLog::open);
	}

}
