package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The first bytes of a snapshot. Chunks follow, each with its size, its checksum, and its
 * content. A chunk of size 0 ends the snapshot and has the total size as its content.
 *
 * @param storeId identity of the store
 * @param index index of the last entry whose effect the snapshot contains
 * @param time when the snapshot began, by the wall clock
 */
record SnapshotHeader(UUID storeId, long index, Instant time) {

	private static final long MAGIC = 0x53_54_41_54_45_53_4e_50L;

	/** Size of the header, in bytes. The first chunk follows. */
	static final int BYTES = 48;

	/** Size of a chunk header, in bytes. */
	static final int CHUNK_HEADER_BYTES = 8;

	/** Maximum size of a chunk's content, in bytes. */
	static final int CHUNK_BYTES = 256 << 10;

	ByteBuffer encode() {
		ByteBuffer bytes = StoreIdentity.begin(BYTES, MAGIC, this.storeId);
		bytes.putLong(this.index).putLong(this.time.toEpochMilli());
		return Checksums.seal(bytes);
	}

	static SnapshotHeader read(Path path, DiskFile file, StoreIdentity identity) throws IOException {
		ByteBuffer bytes = identity.read(path, file, MAGIC, BYTES);
		SnapshotHeader header = new SnapshotHeader(identity.id(), bytes.getLong(),
				Instant.ofEpochMilli(bytes.getLong()));
		if (StoreLayout.index(path) != header.index) {
			throw new DamagedLogException(path, 0, "it was renamed, and is the snapshot of index " + header.index);
		}
		return header;
	}

	/**
	 * Returns a chunk's checksum, which also covers its position in the file.
	 * @param position where the chunk begins
	 * @param length the size of the chunk as written, 0 for the end
	 */
	int checksum(long position, int length, ByteBuffer content) {
		CRC32C checksum = new CRC32C();
		checksum.update(ByteBuffer.allocate(28)
			.putLong(this.storeId.getLeastSignificantBits())
			.putLong(this.index)
			.putLong(position)
			.putInt(length)
			.flip());
		checksum.update(content.duplicate());
		return (int) checksum.getValue();
	}

}
