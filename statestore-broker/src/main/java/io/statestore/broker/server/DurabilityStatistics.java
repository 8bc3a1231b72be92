package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Figures of a store's directory, mostly of its command log, at one moment.
 *
 * @param directory the directory of the data
 * @param logBytes size of the log on the disk, in bytes. Includes space allocated ahead
 * @param segments number of files of the log
 * @param lastIndex index of the last entry that was written
 * @param appliedIndex index of the last entry that was applied
 * @param entriesBehind number of entries that wait to be written or applied
 * @param forceCount number of times that the log was forced to disk since the start
 * @param forceTotalNanos total time of forcing, in nanoseconds
 * @param forceMaxNanos longest time of forcing, in nanoseconds
 * @param snapshotIndex index of the last entry in the latest snapshot, 0 without one
 * @param snapshotAge time since the latest snapshot, {@code null} without one
 * @param snapshotBytes size of the latest snapshot in bytes, 0 without one
 * @param recoveredEntries number of entries applied by the recovery at the start
 * @param recoveryDuration duration of the recovery at the start
 * @param writable whether writes are accepted; {@code false} while the disk is full and
 * after a failure of the log
 */
public record DurabilityStatistics(Path directory, long logBytes, int segments, long lastIndex, long appliedIndex,
		long entriesBehind, long forceCount, long forceTotalNanos, long forceMaxNanos, long snapshotIndex,
		@Nullable Duration snapshotAge, long snapshotBytes, long recoveredEntries, Duration recoveryDuration,
		boolean writable) {
}
