package io.statestore.broker.log;

import java.nio.file.Path;

/**
 * Where a log ends, and what was found while reading it.
 *
 * @param file segment that contains the end
 * @param header header of this segment
 * @param forcedPosition position in this segment up to which everything was forced
 * @param position position in this segment at which the last record ends
 * @param remains what follows the end in this segment
 * @param lastIndex index of the last entry
 * @param replayedBytes size of the batches not covered by a snapshot, in bytes
 * @param closedCleanly whether the last record is a clean-close mark
 */
record LogEnd(Path file, SegmentHeader header, long forcedPosition, long position, Remains remains, long lastIndex,
		long replayedBytes, boolean closedCleanly) {

	/**
	 * Rest of a segment after the end of the log. Its intact records cannot be applied,
	 * because an earlier record is not intact.
	 *
	 * @param bytes size without the zeros at the end, in bytes
	 * @param forcedIndex greatest index that a record header names as forced
	 * @param batches number of intact records that have entries
	 */
	record Remains(long bytes, long forcedIndex, int batches) {
	}

}
