package io.statestore.broker.artemis.disk;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Format of a {@link RecordFile}: magic number, format, salt, and a checksum; then for
 * each record its length, its checksum, a position, and its bytes; then zeros. The file
 * was on the disk up to this position when the record was written. Checksums include the
 * salt, so that bytes inside a record, which clients may choose, never look like a
 * record.
 */
final class RecordFileFormat {

	/** Size of the header of a file in bytes. */
	static final int HEADER = 20;

	/** Size of the header of a record in bytes. */
	static final int RECORD_HEADER = 16;

	/** Offset in a record at which its checksum begins to apply. */
	private static final int COVERED = 2 * Integer.BYTES;

	private static final int MAGIC = 0x53534D53;

	private static final int FORMAT = 1;

	private RecordFileFormat() {
	}

	/** Returns the header of a file. */
	static ByteBuffer header(long salt) {
		return ByteBuffer.allocate(HEADER)
			.putInt(MAGIC)
			.putInt(FORMAT)
			.putLong(salt)
			.putInt(headerChecksum(salt))
			.flip();
	}

	/**
	 * Returns a record with its header.
	 * @param forced position up to which the file is on the disk
	 */
	static ByteBuffer framed(byte[] record, long salt, long forced) {
		ByteBuffer framed = ByteBuffer.allocate(RECORD_HEADER + record.length)
			.putInt(record.length)
			.putInt(0)
			.putLong(forced)
			.put(record)
			.flip();
		return framed.putInt(Integer.BYTES, checksum(framed.slice(COVERED, Long.BYTES + record.length), salt));
	}

	/** Returns the size of a file in bytes, without the zeros at its end. */
	static long size(List<byte[]> records) {
		return HEADER + records.stream().mapToLong((record) -> RECORD_HEADER + record.length).sum();
	}

	private static int headerChecksum(long salt) {
		return checksum(ByteBuffer.allocate(0), salt);
	}

	private static int checksum(ByteBuffer record, long salt) {
		CRC32C checksum = new CRC32C();
		checksum.update(ByteBuffer.allocate(Long.BYTES).putLong(salt).flip());
		checksum.update(record);
		return (int) checksum.getValue();
	}

	/**
	 * Reads a file.
	 * @param file the file, for messages
	 * @param bytes its content
	 * @param records receives the valid records in their order
	 * @return the salt, the end of the last valid record, and whether zeros follow
	 * @throws DamagedSessionsException if the header is damaged, or an invalid record was
	 * on the disk according to a later one
	 * @throws IllegalStateException if the file is from a newer version
	 */
	static Content read(Path file, ByteBuffer bytes, Consumer<ByteBuffer> records) {
		if (bytes.remaining() < HEADER || bytes.getInt() != MAGIC) {
			throw new DamagedSessionsException(file, "does not start with the expected bytes");
		}
		int format = bytes.getInt();
		if (format != FORMAT) {
			throw new IllegalStateException(
					"The file " + file + " has format " + format + ", but this version reads only format " + FORMAT
							+ ". Start the version that wrote it, or a newer one");
		}
		long salt = bytes.getLong();
		if (bytes.getInt() != headerChecksum(salt)) {
			throw new DamagedSessionsException(file, "at position " + Long.BYTES);
		}
		while (isRecord(bytes, bytes.position(), salt)) {
			int length = bytes.getInt();
			bytes.position(bytes.position() + RECORD_HEADER - Integer.BYTES);
			records.accept(bytes.slice(bytes.position(), length));
			bytes.position(bytes.position() + length);
		}
		int end = bytes.position();
		for (int position = end + 1; position < bytes.limit(); position++) {
			// A record that was not forced may be missing although a later one is not.
			if (isRecord(bytes, position, salt) && bytes.getLong(position + COVERED) > end) {
				throw new DamagedSessionsException(file, "at position " + end);
			}
		}
		return new Content(salt, end, isZero(bytes, end));
	}

	private static boolean isZero(ByteBuffer bytes, int from) {
		for (int position = from; position < bytes.limit(); position++) {
			if (bytes.get(position) != 0) {
				return false;
			}
		}
		return true;
	}

	private static boolean isRecord(ByteBuffer bytes, int position, long salt) {
		if (bytes.limit() - position < RECORD_HEADER) {
			return false;
		}
		int length = bytes.getInt(position);
		return length > 0 && length <= bytes.limit() - position - RECORD_HEADER && bytes
			.getInt(position + Integer.BYTES) == checksum(bytes.slice(position + COVERED, Long.BYTES + length), salt);
	}

	/**
	 * Result of reading a file.
	 *
	 * @param salt the salt of its checksums
	 * @param end position behind the last valid record
	 * @param isComplete whether only zeros follow
	 */
	record Content(long salt, long end, boolean isComplete) {
	}

}
