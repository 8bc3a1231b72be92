package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;

/**
 * A segment that is open for writing. Records are written into space that is already
 * filled with zeros. Writing a record therefore needs no additional disk space and does
 * not change the file's metadata. Not thread-safe, except for {@link #force()}.
 */
final class Segment {

	/** Number of bytes to allocate at a time. */
	private static final long CHUNK_BYTES = 1 << 20;

	/**
	 * Number of bytes per write while allocating. Linux caches the file in units of this
	 * size, and larger units make small records slower.
	 */
	private static final int PIECE_BYTES = 64 << 10;

	private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(PIECE_BYTES).asReadOnlyBuffer();

	private final Path path;

	private final SegmentHeader header;

	private final RecordFormat format;

	private final DiskFile file;

	/** End of the last record. */
	private long position;

	/** End of the space that is filled with zeros after {@link #position}. */
	private volatile long allocated;

	/** Size to which this object has extended the file, 0 if it has not. */
	private volatile long extendedTo;

	Segment(Path path, SegmentHeader header, DiskFile file, long position) throws IOException {
		this.path = path;
		this.header = header;
		this.format = new RecordFormat(header);
		this.file = file;
		this.position = position;
		this.allocated = file.size();
	}

	/**
	 * Creates a segment with space for records. Its name is on disk once the directory is
	 * forced.
	 * @param bytes the space, in bytes
	 * @throws DiskFullException if the disk has less free space
	 */
	static Segment create(Disk disk, Path path, SegmentHeader header, int bytes) throws IOException {
		Path temporary = StoreLayout.temporary(path);
		disk.delete(temporary);
		DiskFile file = disk.create(temporary);
		try {
			file.write(header.encode(), 0);
			Segment segment = new Segment(path, header, file, SegmentHeader.BYTES);
			segment.allocate(bytes, bytes);
			file.force();
			disk.rename(temporary, path);
			return segment;
		}
		catch (IOException | DiskFullException ex) {
			try (file) {
				disk.delete(temporary);
			}
			catch (IOException suppressed) {
				ex.addSuppressed(suppressed);
			}
			throw ex;
		}
	}

	Path path() {
		return this.path;
	}

	SegmentHeader header() {
		return this.header;
	}

	RecordFormat format() {
		return this.format;
	}

	long position() {
		return this.position;
	}

	/** Returns the size of the file, in bytes. */
	long allocated() {
		return this.allocated;
	}

	/** Returns the size of the space that is allocated but not used yet, in bytes. */
	long spare() {
		return this.allocated - this.position;
	}

	/**
	 * Returns the size to which this process has extended the file, 0 if it has not. The
	 * next force puts this extension on disk, but possibly not data written by an earlier
	 * process.
	 */
	long extendedTo() {
		return this.extendedTo;
	}

	/**
	 * Makes room for a record, and allocates space ahead up to the size of a segment.
	 * @throws DiskFullException if the file cannot grow now
	 * @throws IOException if the file is no longer usable
	 */
	void allocate(int bytes, long segmentBytes) throws IOException {
		long end = this.position + bytes;
		if (end <= this.allocated) {
			return;
		}
		long target = Math.max(end, Math.min(segmentBytes, this.allocated + CHUNK_BYTES));
		try {
			while (this.allocated < target) {
				this.allocated += writeZeros(this.allocated, target);
				this.extendedTo = this.allocated;
			}
		}
		catch (ClosedChannelException ex) {
			throw ex;
		}
		catch (IOException ex) {
			// The last piece may be partly written.
			this.allocated = Math.max(this.allocated, this.file.size());
			if (end > this.allocated) {
				throw DiskFullException.cannotGrow("allocate", bytes + " bytes in " + this.path, ex);
			}
		}
	}

	/**
	 * Writes zeros up to the next multiple of the piece size. Returns the number of
	 * zeros.
	 */
	private int writeZeros(long start, long end) throws IOException {
		int bytes = (int) Math.min(end - start, PIECE_BYTES - start % PIECE_BYTES);
		this.file.write(ZEROS.duplicate().limit(bytes), start);
		return bytes;
	}

	/**
	 * Writes a record after the last record. The end does not move until {@link #advance}
	 * is called.
	 */
	void write(ByteBuffer record) throws IOException {
		this.file.write(record, this.position);
	}

	/**
	 * Writes a mark after the last record. The end does not move.
	 * @return whether there was room for the mark
	 */
	boolean writeMark(ByteBuffer mark) throws IOException {
		if (this.position + mark.remaining() > this.allocated) {
			return false;
		}
		write(mark);
		return true;
	}

	/** Moves the end past the record written last. */
	void advance(int bytes) {
		this.position += bytes;
	}

	/**
	 * Rewrites and forces part of a file. If an earlier process failed to force it,
	 * forcing alone would not help.
	 */
	static void rewrite(DiskFile file, long start, long end) throws IOException {
		ByteBuffer bytes = ByteBuffer.allocateDirect(PIECE_BYTES);
		for (long at = start; at < end; at += bytes.limit()) {
			bytes.clear().limit((int) Math.min(PIECE_BYTES, end - at));
			file.read(bytes, at);
			file.write(bytes.flip(), at);
		}
		file.force();
	}

	/** Overwrites everything after the last record with zeros and forces them. */
	void clear() throws IOException {
		ByteBuffer bytes = ByteBuffer.allocateDirect(PIECE_BYTES);
		boolean cleared = false;
		for (long at = this.position; at < this.allocated;) {
			bytes.clear().limit((int) Math.min(PIECE_BYTES - at % PIECE_BYTES, this.allocated - at));
			this.file.read(bytes, at);
			if (bytes.flip().mismatch(ZEROS.duplicate().limit(bytes.limit())) >= 0) {
				writeZeros(at, this.allocated);
				cleared = true;
			}
			at += bytes.limit();
		}
		if (cleared) {
			this.file.force();
		}
	}

	void force() throws IOException {
		this.file.force();
	}

	void close() throws IOException {
		this.file.close();
	}

	void closeQuietly() {
		StoreFiles.closeQuietly(this.file, this.path);
	}

}
