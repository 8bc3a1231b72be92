package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;

import io.statestore.broker.log.RecordFormat.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Reads the entries of a log and its {@link LogHistory} in order, even while entries are
 * being appended. Not thread-safe.
 */
public final class EntryReader implements Closeable {

	private final LogHistory history;

	private final ByteBuffer window = SegmentReader.window();

	private SegmentReader segment;

	private long position = SegmentHeader.BYTES;

	/** Index of the next record's first entry. */
	private long nextRecord;

	/** Entries of the current record that have not been returned yet. */
	private Iterator<ByteBuffer> entries = List.<ByteBuffer>of().iterator();

	private long index;

	EntryReader(LogHistory history, long index) throws IOException {
		this.history = history;
		this.segment = history.segment(index, this.window);
		this.nextRecord = this.segment.header().firstIndex();
		this.index = this.nextRecord;
	}

	/**
	 * Returns the index of the next entry.
	 * @return the index of the entry that {@link #next} returns
	 */
	public long index() {
		return this.index;
	}

	/**
	 * Returns the next entry.
	 * @return the entry, valid until the next call, or {@code null} if it is not in the
	 * log yet
	 * @throws IOException if the entry cannot be read
	 * @throws DamagedLogException if the entry is damaged
	 */
	public @Nullable ByteBuffer next() throws IOException {
		while (!this.entries.hasNext()) {
			RecordHeader record = readRecord();
			if (record == null || record.isContinuation()) {
				return null;
			}
			this.entries = this.segment.entries(this.position, record).iterator();
			this.position += record.bytes();
			this.nextRecord = record.lastIndex() + 1;
		}
		this.index++;
		return this.entries.next();
	}

	private @Nullable RecordHeader readRecord() throws IOException {
		// Continues in the next segment even if another record follows in this segment,
		// because that record was rejected.
		if (this.nextRecord > this.segment.header().firstIndex() && this.history.hasSegment(this.nextRecord)) {
			SegmentReader next = this.history.segment(this.nextRecord, this.window);
			this.segment.close();
			this.segment = next;
			this.position = SegmentHeader.BYTES;
		}
		RecordHeader record = this.segment.read(this.position, this.nextRecord);
		if (record == null) {
			// The record may have been appended after the window was loaded.
			this.segment.release();
			record = this.segment.read(this.position, this.nextRecord);
		}
		return record;
	}

	@Override
	public void close() throws IOException {
		this.segment.close();
	}

}
