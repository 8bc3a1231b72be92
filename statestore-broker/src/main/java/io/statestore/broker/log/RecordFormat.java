package io.statestore.broker.log;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

import org.jspecify.annotations.Nullable;

/**
 * Format of the records in one segment. A record is a batch or a mark without entries. It
 * consists of a header, followed by each entry's size in 4 bytes and its content. The
 * header consists of a magic number, the size of the body, the index of the first entry,
 * the index of the last forced entry, the number of entries, and the checksums of the
 * body and the header. The header checksum covers the identities of the store and the
 * segment, so that bytes from another file are not a valid header. Not thread-safe.
 */
final class RecordFormat {

	/** Size of a record header, in bytes. */
	static final int HEADER_BYTES = 36;

	/** Size of a continuation mark, in bytes. */
	private static final int CONTINUATION_BYTES = HEADER_BYTES + 1;

	static final int MAGIC = 0x8b_52_45_43;

	/** Size of the header without its checksum, in bytes. */
	private static final int COVERED = HEADER_BYTES - Integer.BYTES;

	private final CRC32C checksum = new CRC32C();

	private final byte[] identity;

	RecordFormat(SegmentHeader segment) {
		this.identity = ByteBuffer.allocate(24)
			.putLong(segment.storeId().getMostSignificantBits())
			.putLong(segment.storeId().getLeastSignificantBits())
			.putLong(segment.firstIndex())
			.array();
	}

	/**
	 * Writes a record's header in front of its body. Afterward, the buffer's remaining
	 * bytes are the record.
	 * @param record space for the header, then the body up to the buffer's limit
	 * @param forcedIndex index of the last entry known to be on disk
	 */
	void seal(ByteBuffer record, long firstIndex, int count, long forcedIndex) {
		int end = record.limit();
		this.checksum.reset();
		this.checksum.update(record.position(HEADER_BYTES));
		record.putInt(0, MAGIC).putInt(4, end - HEADER_BYTES).putLong(8, firstIndex).putLong(16, forcedIndex);
		record.putInt(24, count).putInt(28, (int) this.checksum.getValue());
		record.putInt(COVERED, headerChecksum(record, 0));
		record.limit(end).position(0);
	}

	/**
	 * Returns a mark which states that the log continues in another segment. Unlike a
	 * clean-close mark, it has a body.
	 * @param nextIndex index of the next segment's first entry
	 */
	ByteBuffer continuation(long nextIndex, long forcedIndex) {
		return mark(CONTINUATION_BYTES, nextIndex, forcedIndex);
	}

	/**
	 * Returns a clean-close mark.
	 * @param nextIndex index of the next entry
	 */
	ByteBuffer cleanClose(long nextIndex, long forcedIndex) {
		return mark(HEADER_BYTES, nextIndex, forcedIndex);
	}

	private ByteBuffer mark(int bytes, long nextIndex, long forcedIndex) {
		ByteBuffer mark = ByteBuffer.allocateDirect(bytes);
		seal(mark, nextIndex, 0, forcedIndex);
		return mark;
	}

	/** Returns the header at a position, or {@code null} if there is no valid header. */
	@Nullable RecordHeader header(ByteBuffer bytes, int position) {
		if (bytes.limit() - position < HEADER_BYTES || bytes.getInt(position) != MAGIC
				|| bytes.getInt(position + COVERED) != headerChecksum(bytes, position)) {
			return null;
		}
		RecordHeader header = new RecordHeader(bytes.getInt(position + 4), bytes.getLong(position + 8),
				bytes.getLong(position + 16), bytes.getInt(position + 24), bytes.getInt(position + 28));
		return (header.bodyBytes() >= 0 && header.count() >= 0) ? header : null;
	}

	/** Returns whether the remaining bytes are the body that a header describes. */
	boolean isBody(ByteBuffer body, RecordHeader header) {
		this.checksum.reset();
		this.checksum.update(body.duplicate());
		return (int) this.checksum.getValue() == header.bodyChecksum();
	}

	private int headerChecksum(ByteBuffer bytes, int position) {
		this.checksum.reset();
		this.checksum.update(this.identity);
		this.checksum.update(bytes.duplicate().limit(position + COVERED).position(position));
		return (int) this.checksum.getValue();
	}

	/**
	 * A record header.
	 *
	 * @param bodyBytes size of the body, in bytes
	 * @param firstIndex index of the first entry
	 * @param forcedIndex index of the last entry known to be on disk when the record was
	 * written
	 * @param count number of entries, 0 for a clean-close mark or a
	 * {@linkplain #isContinuation() continuation} mark
	 * @param bodyChecksum checksum of the body
	 */
	record RecordHeader(int bodyBytes, long firstIndex, long forcedIndex, int count, int bodyChecksum) {

		long lastIndex() {
			return this.firstIndex + this.count - 1;
		}

		/** Returns whether this is a clean-close mark. */
		boolean isCleanClose() {
			return this.count == 0 && this.bodyBytes == 0;
		}

		/**
		 * Returns whether this is a mark which states that the log continues in another
		 * segment.
		 */
		boolean isContinuation() {
			return this.count == 0 && this.bodyBytes > 0;
		}

		long bytes() {
			return HEADER_BYTES + (long) this.bodyBytes;
		}

	}

}
