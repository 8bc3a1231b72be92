package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The first bytes of a segment. The header is on disk before the segment gets its name.
 *
 * @param storeId identity of the store
 * @param firstIndex index of the segment's first entry
 * @param previousIndex index of the previous segment's first entry, 0 if there was none
 * @param previousEnd position at which the previous segment ends, 0 if there was none.
 * Bytes after it belong to rejected batches
 * @param forcedIndex index of the last entry on disk when the segment was created
 */
record SegmentHeader(UUID storeId, long firstIndex, long previousIndex, long previousEnd, long forcedIndex) {

	private static final long MAGIC = 0x53_54_41_54_45_4c_4f_47L;

	/** Size of the header, in bytes. The first record follows. */
	static final int BYTES = 64;

	ByteBuffer encode() {
		ByteBuffer bytes = StoreIdentity.begin(BYTES, MAGIC, this.storeId);
		bytes.putLong(this.firstIndex).putLong(this.previousIndex).putLong(this.previousEnd).putLong(this.forcedIndex);
		return Checksums.seal(bytes);
	}

	/**
	 * Reads the header of a segment.
	 * @throws DamagedLogException if the header is damaged
	 * @throws StoreDirectoryException if the segment has a newer format or belongs to
	 * another store
	 */
	static SegmentHeader read(Path path, DiskFile file, StoreIdentity identity) throws IOException {
		ByteBuffer bytes = identity.read(path, file, MAGIC, BYTES);
		SegmentHeader header = new SegmentHeader(identity.id(), bytes.getLong(), bytes.getLong(), bytes.getLong(),
				bytes.getLong());
		if (!path.equals(path.resolveSibling(StoreLayout.segmentName(header.firstIndex)))) {
			throw new DamagedLogException(path, 0, "it was renamed from " + StoreLayout.segmentName(header.firstIndex));
		}
		return header;
	}

}
