package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** Entries of a log that can be read at any place, and removed from the start on. */
final class StoredEntries implements Closeable {

	private static final long MAGIC = 0x53_54_41_54_45_53_54_41L;

	/** Size of the file {@code start}, in bytes. */
	private static final int START_BYTES = 40;

	private final StoreFiles files;

	private final @Nullable LogHistory history;

	/** Places of the records that were not removed, guarded by itself. */
	private final List<Place> places = new ArrayList<>();

	private final RecordReader reader;

	private volatile long removedIndex;

	/**
	 * Reads which entries were removed.
	 * @param history keeps removed entries, {@code null} to delete them
	 */
	StoredEntries(StoreFiles files, @Nullable LogHistory history) throws IOException {
		this.history = history;
		this.files = files;
		this.reader = new RecordReader(files);
		ByteBuffer start = files.read(files.layout().start(), MAGIC, START_BYTES);
		this.removedIndex = (start != null) ? start.getLong() : 0;
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
		synchronized (this.places) {
			this.places.add(new Place(firstIndex, segment, position));
		}
	}

	/** Returns an entry, or {@code null} if there is none. It is read-only. */
	@Nullable ByteBuffer read(long index) throws IOException {
		Place place = (index > this.removedIndex) ? find(index) : null;
		if (place == null) {
			return null;
		}
		try {
			List<ByteBuffer> entries = this.reader.read(place);
			long number = index - place.firstIndex();
			// The append of a later record may be in progress.
			return (number < entries.size()) ? entries.get((int) number).duplicate() : null;
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
	void removeUpTo(long index, LogWriter writer) throws IOException {
		ByteBuffer start = StoreIdentity.begin(START_BYTES, MAGIC, this.files.identity().id()).putLong(index);
		StoreFiles.write(this.files.disk(), this.files.layout().start(), Checksums.seal(start));
		this.removedIndex = index;
		synchronized (this.places) {
			this.places.subList(0, Math.max(0, search(index + 1))).clear();
		}
		writer.compact(index, this.history);
		Place first = find(index + 1);
		this.reader.removeBefore((first != null) ? first.segment() : writer.active().header().firstIndex());
	}

	/** Returns the record that contains an entry, or {@code null} if it was removed. */
	private @Nullable Place find(long index) {
		synchronized (this.places) {
			int found = search(index);
			return (found >= 0) ? this.places.get(found) : null;
		}
	}

	/** Returns the last record that begins at or before an index, -1 if there is none. */
	private int search(long index) {
		int found = Collections.binarySearch(this.places, new Place(index, 0, 0),
				Comparator.comparingLong(Place::firstIndex));
		return (found >= 0) ? found : -found - 2;
	}

	@Override
	public void close() {
		this.reader.close();
	}

	/**
	 * Place of a record.
	 *
	 * @param firstIndex index of its first entry
	 * @param segment index of the first entry of its segment
	 * @param position where it begins in the segment
	 */
	record Place(long firstIndex, long segment, long position) {
	}

}
