package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

import io.statestore.broker.log.RecordIndex.Place;
import org.jspecify.annotations.Nullable;

/** Entries of a log that can be read at any place, and removed from the start on. */
final class StoredEntries implements Closeable {

	private final LogStart start;

	private final @Nullable LogHistory history;

	private final RecordIndex records = new RecordIndex();

	private final RecordReader reader;

	private volatile long removedIndex;

	/**
	 * Reads which entries were removed.
	 * @param history keeps removed entries, {@code null} to delete them
	 */
	StoredEntries(LockedStore store, @Nullable LogHistory history) throws IOException {
		this.history = history;
		this.start = new LogStart(store);
		this.reader = new RecordReader(store);
		this.removedIndex = this.start.read();
	}

	/** Returns the index of the last entry that was removed, 0 if none was. */
	long removedIndex() {
		return this.removedIndex;
	}

	/**
	 * Adds a record behind the last one.
	 * @param segment index of the first entry of its segment
	 */
	void add(long firstIndex, long segment, long position) {
		this.records.add(firstIndex, segment, position);
	}

	/** Returns an entry, or {@code null} if there is none. It is read-only. */
	@Nullable ByteBuffer read(long index) throws IOException {
		Place place = (index > this.removedIndex) ? this.records.find(index) : null;
		if (place == null) {
			return null;
		}
		try {
			return this.reader.read(place).get((int) (index - place.firstIndex())).duplicate();
		}
		catch (IOException ex) {
			if (index <= this.removedIndex) {
				// It was removed meanwhile.
				return null;
			}
			throw ex;
		}
	}

	/** Removes all entries up to one, and the segments without others. */
	void removeUpTo(long index, LogSegments segments) throws IOException {
		this.start.write(index);
		this.removedIndex = index;
		this.records.removeBefore(index + 1);
		segments.compact(index, this.history);
		Place first = this.records.find(index + 1);
		this.reader.removeBefore((first != null) ? first.segment() : segments.active().header().firstIndex());
	}

	@Override
	public void close() throws IOException {
		this.reader.close();
	}

}
