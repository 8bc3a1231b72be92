package io.statestore.broker.log;

import java.nio.file.Path;

/**
 * Where a log ends.
 *
 * @param file segment with the end
 * @param header header of this segment
 * @param confirmed position in it before which everything is on the disk, as all earlier
 * segments are
 * @param position where the last record ends
 * @param remains what follows the end in the segment
 * @param lastIndex index of the last entry
 * @param batches number of batches behind the snapshot
 * @param bytes size of these batches, in bytes
 * @param marked whether the last record is the mark of a log that was closed
 */
record LogEnd(Path file, SegmentHeader header, long confirmed, long position, Remains remains, long lastIndex,
		long batches, long bytes, boolean marked) {

	/**
	 * Rest of a segment behind the end of the log. Its intact records cannot be applied,
	 * because an earlier one is not intact.
	 *
	 * @param bytes size without the zeros at the end, in bytes
	 * @param forcedIndex greatest index that a header of a record names as on the disk
	 * @param batches number of intact records that have entries
	 */
	record Remains(long bytes, long forcedIndex, int batches) {
	}

}
