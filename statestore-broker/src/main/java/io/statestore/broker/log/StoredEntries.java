package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

import io.statestore.broker.log.RecordIndex.Place;
import org.jspecify.annotations.Nullable;

/** Entries of a log that can be read at any place, and removed from the start on. */
final class StoredEntries implements Closeable {

	private static final long MAGIC = 0x53_54_41_54_45_53_54_41L;

	/** Size of the file {@code start}, in bytes. */
	private static final int START_BYTES = 40;

	private final StoreFiles files;

	private final @Nullable LogHistory history;

	private final RecordIndex records = new RecordIndex();

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
	void removeUpTo(long index, LogWriter writer) throws IOException {
		ByteBuffer start = StoreIdentity.begin(START_BYTES, MAGIC, this.files.identity().id()).putLong(index);
		StoreFiles.write(this.files.disk(), this.files.layout().start(), Checksums.seal(start));
		this.removedIndex = index;
		this.records.removeBefore(index + 1);
		writer.compact(index, this.history);
		Place first = this.records.find(index + 1);
		this.reader.removeBefore((first != null) ? first.segment() : writer.active().header().firstIndex());
	}

	@Override
	public void close() throws IOException {
		this.reader.close();
	}

}
