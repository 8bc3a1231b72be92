package io.statestore.broker.log;

import java.nio.file.Path;
import java.util.List;

/**
 * Where a log ends.
 *
 * @param segments files behind the snapshot, of which the last one has the end
 * @param header header of the segment with the end
 * @param position where the last record ends
 * @param remains what follows the end: the rest of the segment with the end, then all
 * later segments
 * @param unconfirmed parts of these files that may not be on the disk
 * @param lastIndex index of the last entry
 * @param batches number of batches behind the snapshot
 * @param bytes size of these batches, in bytes
 * @param marked whether the last record is the mark of a log that was closed
 */
record LogEnd(List<Path> segments, SegmentHeader header, long position, List<Remains> remains, List<Part> unconfirmed,
		long lastIndex, long batches, long bytes, boolean marked) {

	Path file() {
		return this.segments.get(this.segments.size() - 1);
	}

	/** Returns the rest of the segment with the end. */
	Remains tail() {
		return this.remains.get(0);
	}

	/** Returns the segments behind the end. */
	List<Remains> later() {
		return this.remains.subList(1, this.remains.size());
	}

	/** Returns the size of what follows the end, in bytes. */
	long tornBytes() {
		return this.remains.stream().mapToLong(Remains::bytes).sum();
	}

	/** Returns the number of intact batches that follow the end. */
	long discardedBatches() {
		return this.remains.stream().mapToLong(Remains::batches).sum();
	}

	boolean hasIntactRemains() {
		return this.remains.stream().anyMatch(Remains::isIntact);
	}

	/**
	 * Part of a file.
	 *
	 * @param file the file
	 * @param start first position
	 * @param end position behind the last one
	 */
	record Part(Path file, long start, long end) {
	}

	/**
	 * Rest of a file behind the end of the log. Its intact records cannot be applied,
	 * because an earlier one is not intact.
	 *
	 * @param file the file
	 * @param bytes size without the zeros at the end, in bytes
	 * @param forcedIndex greatest index that a header of a record names as on the disk
	 * @param records number of intact records, with marks
	 * @param batches number of intact records that have entries
	 */
	record Remains(Path file, long bytes, long forcedIndex, int records, int batches) {

		boolean isIntact() {
			return this.records > 0;
		}

	}

}
