package io.statestore.broker.log;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A snapshot of {@link FileLog} statistics.
 *
 * @param lastIndex index of the last entry, 0 if there is none
 * @param forcedIndex index of the last entry known to be on disk
 * @param segments number of segments
 * @param bytes size of all segments, in bytes, including space allocated ahead
 * @param bytesSinceSnapshot size of the batches after the latest snapshot, in bytes
 * @param writtenBytes bytes of batches written since the log was opened
 * @param forces number of times the log was forced to disk
 * @param forceNanos total duration of forces, in nanoseconds
 * @param maxForceNanos longest force, in nanoseconds
 * @param snapshotIndex index of the last entry in the latest snapshot, 0 if there is none
 * @param snapshotTime when the latest snapshot began, {@code null} if there is none
 * @param snapshotBytes size of the latest snapshot, in bytes
 */
public record LogStatistics(long lastIndex, long forcedIndex, int segments, long bytes, long bytesSinceSnapshot,
		long writtenBytes, long forces, long forceNanos, long maxForceNanos, long snapshotIndex,
		@Nullable Instant snapshotTime, long snapshotBytes) {
}
