package io.statestore.broker.log;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Figures of a {@link FileLog} at one moment.
 *
 * @param lastIndex index of the last entry, 0 if there is none
 * @param forcedIndex index of the last entry known to be on the disk
 * @param segments number of segments
 * @param bytes size of all segments, in bytes. Includes space allocated ahead
 * @param bytesSinceSnapshot size of the batches behind the latest snapshot, in bytes
 * @param writtenBytes bytes of batches written since the log was opened
 * @param forces number of times the log was forced to the disk
 * @param forceNanos total duration of these, in nanoseconds
 * @param maxForceNanos longest of these durations, in nanoseconds
 * @param snapshotIndex index of the last entry in the latest snapshot, 0 if there is none
 * @param snapshotTime time the latest snapshot was begun, {@code null} if there is none
 * @param snapshotBytes size of the latest snapshot, in bytes
 */
public record LogStatistics(long lastIndex, long forcedIndex, int segments, long bytes, long bytesSinceSnapshot,
		long writtenBytes, long forces, long forceNanos, long maxForceNanos, long snapshotIndex,
		@Nullable Instant snapshotTime, long snapshotBytes) {
}
