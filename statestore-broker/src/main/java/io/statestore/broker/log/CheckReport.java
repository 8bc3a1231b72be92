package io.statestore.broker.log;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * Result of {@link StoreDirectory#check}.
 *
 * @param directory the directory
 * @param storeId identity of the store, {@code null} if it cannot be read
 * @param created time the store was created, {@code null} if it cannot be read
 * @param snapshotIndex index of the last entry in the latest snapshot, 0 if there is none
 * @param snapshotBytes size of the latest snapshot, in bytes
 * @param segments number of segments
 * @param batches number of intact batches behind the latest snapshot
 * @param lastIndex index of the last intact entry, 0 if there is none
 * @param tornFile file with an incomplete write at the end of the log, {@code null} if
 * there is none. The next start cuts it off. Normal after a crash, or while a process
 * serves the directory
 * @param tornPosition position at which the incomplete write begins
 * @param tornBytes size of the incomplete write, in bytes
 * @param discardedBatches number of intact batches that follow the incomplete write. The
 * next start moves them to files {@code *.discarded}, because they cannot be applied
 * without it. Normal after a power failure unless every batch is forced
 * @param problems damage that prevents a start. Each text names the file and the next
 * step
 */
public record CheckReport(Path directory, @Nullable UUID storeId, @Nullable Instant created, long snapshotIndex,
		long snapshotBytes, int segments, long batches, long lastIndex, @Nullable Path tornFile, long tornPosition,
		long tornBytes, long discardedBatches, List<String> problems) {

	/**
	 * Returns whether the store can start.
	 * @return {@code true} if there are no problems
	 */
	public boolean isIntact() {
		return this.problems.isEmpty();
	}

}
