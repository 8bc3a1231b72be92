package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The index of an {@linkplain LogOptions#indexed indexed} log, which finds entries by
 * their index and removes the oldest. Any thread may read.
 */
final class StoredEntries implements Closeable {

	private static final long MAGIC = 0x53_54_41_54_45_53_54_41L;

	/** Size of the {@code start} file, in bytes. */
	private static final int START_BYTES = 40;

	private final StoreFiles files;

	private final @Nullable LogHistory history;

	/** Locations of the records that were not removed. Guarded by this list's monitor. */
	private final List<RecordLocation> locations = new ArrayList<>();

	private final RecordReader reader;

	private volatile long removedIndex;

	/**
	 * Reads which entries have been removed.
	 * @param history keeps removed entries, {@code null} to delete them
	 */
	StoredEntries(StoreFiles files, @Nullable LogHistory history) throws IOException {
		this.history = history;
		this.files = files;
		this.reader = new RecordReader(files);
		ByteBuffer start = files.read(files.layout().start(), MAGIC, START_BYTES);
		this.removedIndex = (start != null) ? start.getLong() : 0;
	}

	/** Returns the index of the last removed entry, 0 if none was removed. */
	long removedIndex() {
		return this.removedIndex;
	}

	/**
	 * Adds a record after the last record.
	 * @param segment index of its segment's first entry
	 */
	void add(long firstIndex, long segment, long position) {
		synchronized (this.locations) {
			this.locations.add(new RecordLocation(firstIndex, segment, position));
		}
	}

	/** Returns an entry as a read-only buffer, or {@code null} if there is none. */
	@Nullable ByteBuffer read(long index) throws IOException {
		RecordLocation location = (index > this.removedIndex) ? find(index) : null;
		if (location == null) {
			return null;
		}
		try {
			List<ByteBuffer> entries = this.reader.read(location);
			long number = index - location.firstIndex();
			// A record that is being appended has no location yet.
			return (number < entries.size()) ? entries.get((int) number).duplicate() : null;
		}
		catch (IOException ex) {
			if (index <= this.removedIndex) {
				// The entry was removed in the meantime.
				return null;
			}
			throw ex;
		}
	}

	/** Removes all entries up to an index, and the segments that have no others. */
	void removeUpTo(long index, LogWriter writer) throws IOException {
		ByteBuffer start = StoreIdentity.begin(START_BYTES, MAGIC, this.files.identity().id()).putLong(index);
		StoreFiles.write(this.files.disk(), this.files.layout().start(), Checksums.seal(start));
		this.removedIndex = index;
		synchronized (this.locations) {
			this.locations.subList(0, Math.max(0, search(index + 1))).clear();
		}
		writer.removeSegments(index, this.history);
		RecordLocation first = find(index + 1);
		this.reader.removeBefore((first != null) ? first.segment() : writer.active().header().firstIndex());
	}

	/** Returns the record that contains an entry, or {@code null} if it was removed. */
	private @Nullable RecordLocation find(long index) {
		synchronized (this.locations) {
			int found = search(index);
			return (found >= 0) ? this.locations.get(found) : null;
		}
	}

	/**
	 * Returns the position of the last record that begins at or before an index, -1 if
	 * there is none.
	 */
	private int search(long index) {
		int found = Collections.binarySearch(this.locations, new RecordLocation(index, 0, 0),
				Comparator.comparingLong(RecordLocation::firstIndex));
		return (found >= 0) ? found : -found - 2;
	}

	@Override
	public void close() {
		this.reader.close();
	}

	/**
	 * A record's location.
	 *
	 * @param firstIndex index of the record's first entry
	 * @param segment index of its segment's first entry
	 * @param position where the record begins in the segment
	 */
	record RecordLocation(long firstIndex, long segment, long position) {
	}

}
