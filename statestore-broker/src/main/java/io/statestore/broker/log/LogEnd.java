package io.statestore.broker.log;

import java.nio.file.Path;
import java.util.List;

/**
 * Where a log ends.
 *
 * @param segments files behind the snapshot, of which the last one has the end
 * @param discarded files behind the end. They have nothing but an incomplete write
 * @param header header of the segment with the end
 * @param position where the last record ends
 * @param unconfirmed parts of these files that may not be on the disk
 * @param lastIndex index of the last entry
 * @param batches number of batches behind the snapshot
 * @param bytes size of these batches, in bytes
 * @param tornBytes size of an incomplete write at the end, in bytes
 * @param marked whether the last record is the mark of a log that was closed
 * @param checksum CRC-32C of the bytes of that segment up to the position, as they were
 * read
 */
record LogEnd(List<Path> segments, List<Path> discarded, SegmentHeader header, long position, List<Part> unconfirmed,
		long lastIndex, long batches, long bytes, long tornBytes, boolean marked, long checksum) {

	Path file() {
		return this.segments.get(this.segments.size() - 1);
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

}
