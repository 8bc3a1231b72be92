package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.log.LogEnd.Remains;
import io.statestore.broker.log.RecordFormat.RecordHeader;
import org.jspecify.annotations.Nullable;

/** Reads the records of one segment. Not thread-safe. */
final class SegmentReader implements Closeable {

	private static final int WINDOW_BYTES = 1 << 20;

	/** Memory for the window unless a record is larger; shared with other readers. */
	private final ByteBuffer shared;

	private final Path path;

	private final DiskFile file;

	private final SegmentHeader header;

	private final RecordFormat format;

	/** Known size of the file, which may have grown since. */
	private long size;

	/** Copy of a part of the file, starting at {@link #windowStart}. */
	private ByteBuffer window;

	private long windowStart;

	private SegmentReader(Path path, DiskFile file, SegmentHeader header, ByteBuffer shared) throws IOException {
		this.path = path;
		this.shared = shared;
		this.window = shared.limit(0);
		this.file = file;
		this.header = header;
		this.format = new RecordFormat(header);
		this.size = file.size();
	}

	/** Allocates memory for a window, which only one reader at a time may use. */
	static ByteBuffer window() {
		return ByteBuffer.allocate(WINDOW_BYTES);
	}

	static SegmentReader open(Disk disk, Path path, StoreIdentity identity, ByteBuffer window) throws IOException {
		DiskFile file = disk.read(path);
		try {
			return new SegmentReader(path, file, SegmentHeader.read(path, file, identity), window);
		}
		catch (IOException | RuntimeException ex) {
			file.close();
			throw ex;
		}
	}

	Path path() {
		return this.path;
	}

	SegmentHeader header() {
		return this.header;
	}

	long size() {
		return this.size;
	}

	/**
	 * Returns the header of the intact record at a position. Its {@linkplain #entries
	 * entries} can be read next.
	 * @param firstIndex required index of the record's first entry
	 * @return the header, or {@code null} if there is no such record
	 */
	@Nullable RecordHeader read(long position, long firstIndex) throws IOException {
		int offset = load(position, RecordFormat.HEADER_BYTES);
		RecordHeader record = (offset >= 0) ? this.format.header(this.window, offset) : null;
		if (record == null || record.firstIndex() != firstIndex || !hasBytes(position, record.bytes())) {
			return null;
		}
		offset = load(position, Math.toIntExact(record.bytes()));
		return (offset >= 0 && this.format.isBody(body(offset, record), record)) ? record : null;
	}

	/** Returns the entries of the record that {@link #read} returned last. */
	List<ByteBuffer> entries(long position, RecordHeader record) throws IOException {
		ByteBuffer body = body(load(position, Math.toIntExact(record.bytes())), record);
		List<ByteBuffer> entries = new ArrayList<>(Math.min(record.count(), body.remaining() / Integer.BYTES));
		while (body.remaining() >= Integer.BYTES) {
			int size = body.getInt();
			if (size < 0 || size > body.remaining()) {
				break;
			}
			entries.add(body.slice(body.position(), size));
			body.position(body.position() + size);
		}
		if (body.hasRemaining() || entries.size() != record.count()) {
			throw new DamagedLogException(this.path, position, "the sizes of its entries are wrong");
		}
		return entries;
	}

	private ByteBuffer body(int offset, RecordHeader record) {
		return this.window.slice(offset + RecordFormat.HEADER_BYTES, record.bodyBytes());
	}

	/**
	 * Returns whether the file has a number of bytes at a position, even if it has grown.
	 */
	private boolean hasBytes(long position, long bytes) throws IOException {
		if (bytes > this.size - position) {
			this.size = this.file.size();
		}
		return bytes <= this.size - position;
	}

	/**
	 * Loads bytes into the window.
	 * @return the bytes' offset in the window, or -1 if the file has fewer bytes
	 */
	private int load(long position, int bytes) throws IOException {
		if (position >= this.windowStart && position + bytes <= this.windowStart + this.window.limit()) {
			return (int) (position - this.windowStart);
		}
		if (!hasBytes(position, bytes)) {
			return -1;
		}
		this.window = (bytes <= this.shared.capacity()) ? this.shared : ByteBuffer.allocate(bytes);
		this.window.clear();
		this.file.read(this.window, position);
		this.window.flip();
		this.windowStart = position;
		return (this.window.limit() >= bytes) ? 0 : -1;
	}

	/**
	 * Empties the window, and drops the memory of a record that did not fit into the
	 * shared window.
	 */
	void release() {
		this.window = this.shared.limit(0);
	}

	/**
	 * Returns what follows a position: intact records, headers of incomplete records, and
	 * other nonzero bytes.
	 */
	Remains remains(long start) throws IOException {
		long forcedIndex = 0;
		int batches = 0;
		long used = start;
		long position = start;
		while (position < this.size) {
			// At the end of the file, the window may be shorter than a header.
			int available = (int) Math.min(RecordFormat.HEADER_BYTES, this.size - position);
			int offset = load(position, available);
			if (offset < 0) {
				break;
			}
			int zeros = zeros(offset);
			if (zeros > 0) {
				// Skips zeros quickly: no record begins with a zero, and most of the
				// space is free.
				position += zeros;
				continue;
			}
			used = position + 1;
			RecordHeader record = this.format.header(this.window, offset);
			if (record != null) {
				forcedIndex = Math.max(forcedIndex, record.forcedIndex());
			}
			if (record != null && read(position, record.firstIndex()) != null) {
				batches += (record.count() > 0) ? 1 : 0;
				position += record.bytes();
				used = position;
			}
			else {
				position++;
			}
		}
		return new Remains(used - start, forcedIndex, batches);
	}

	/** Returns the number of consecutive zeros in the window, starting at an offset. */
	private int zeros(int offset) {
		if (this.window.get(offset) != 0) {
			return 0;
		}
		// Finds the first byte that differs from its successor, comparing many bytes at a
		// time.
		int pairs = this.window.limit() - offset - 1;
		int equal = this.window.slice(offset, pairs).mismatch(this.window.slice(offset + 1, pairs));
		return ((equal >= 0) ? equal : pairs) + 1;
	}

	@Override
	public void close() throws IOException {
		this.file.close();
	}

}
