package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A snapshot of statistics for a store's directory, mostly for its command log.
 *
 * @param directory the data directory
 * @param logBytes size of the log on disk in bytes, including space allocated ahead
 * @param segments number of log files
 * @param lastIndex index of the last written entry
 * @param appliedIndex index of the last applied entry
 * @param entriesBehind number of entries waiting to be written or applied
 * @param forceCount number of times the log was forced to disk since startup
 * @param forceTotalNanos total duration of forces, in nanoseconds
 * @param forceMaxNanos longest force, in nanoseconds
 * @param snapshotIndex index of the last entry in the latest snapshot, 0 if there is no
 * snapshot
 * @param snapshotAge time since the latest snapshot, {@code null} if there is no snapshot
 * @param snapshotBytes size of the latest snapshot in bytes, 0 if there is no snapshot
 * @param recoveredEntries number of entries applied by the recovery at startup
 * @param recoveryDuration duration of the recovery at startup
 * @param writable whether writes are accepted; {@code false} while the disk is full and
 * after a log failure
 */
public record DurabilityStatistics(Path directory, long logBytes, int segments, long lastIndex, long appliedIndex,
		long entriesBehind, long forceCount, long forceTotalNanos, long forceMaxNanos, long snapshotIndex,
		@Nullable Duration snapshotAge, long snapshotBytes, long recoveredEntries, Duration recoveryDuration,
		boolean writable) {
}
