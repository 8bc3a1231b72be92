package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

import io.statestore.broker.log.RecordIndex.Place;
import org.jspecify.annotations.Nullable;

/**
 * A log whose entries can be read at any time, and removed from its beginning, for a
 * component that keeps snapshots itself. Has the same files as {@link FileLog}, and the
 * same rules for damage and incomplete writes. Entries are numbered from 1, without gaps.
 * <p>
 * Open the log, {@linkplain #replay replay} it, then use it. One thread at a time may
 * append and remove. Do not interrupt it. All other methods are thread-safe.
 */
public final class EntryLog implements AutoCloseable {

	private final LogOptions options;

	private final int spareBytes;

	private final LockedStore store;

	private final LogStart start;

	private final RecordIndex records = new RecordIndex();

	private final RecordReader reader;

	private volatile long removedIndex;

	private volatile @Nullable LogWriter writer;

	private EntryLog(LogOptions options, int spareBytes, LockedStore store) throws IOException {
		this.options = options;
		this.spareBytes = spareBytes;
		this.store = store;
		this.start = new LogStart(store);
		this.reader = new RecordReader(store);
		this.removedIndex = this.start.read();
	}

	/**
	 * Opens the log in a directory. Creates it if the directory is absent or empty.
	 * @param directory the directory
	 * @param options options
	 * @param spareBytes space to keep allocated for further entries, in bytes
	 * @return the log
	 * @throws StoreDirectoryException if the directory cannot be used
	 * @throws DamagedLogException if a file is damaged or missing
	 */
	public static EntryLog open(Path directory, LogOptions options, int spareBytes) {
		return open(directory, options, spareBytes, new FileDisk());
	}

	static EntryLog open(Path directory, LogOptions options, int spareBytes, Disk disk) {
		try {
			LockedStore store = LockedStore.open(directory, disk);
			try {
				return new EntryLog(options, spareBytes, store);
			}
			catch (IOException | RuntimeException | Error ex) {
				store.close();
				throw ex;
			}
		}
		catch (IOException ex) {
			throw StoreErrors.of(directory, ex);
		}
	}

	/**
	 * Returns whether {@link #open} created the log.
	 * @return {@code false} if the directory had a log before, even one without entries
	 */
	public boolean isCreated() {
		return this.store.isCreated();
	}

	/**
	 * Reads all entries and cuts off an incomplete write at the end. Required once before
	 * any other use.
	 * @param consumer receives the entries
	 * @throws DamagedLogException if a file is damaged or missing
	 */
	public void replay(BatchConsumer consumer) {
		if (this.writer != null) {
			throw new IllegalStateException("The log was replayed before");
		}
		try {
			LogRecovery recovery = new LogRecovery(this.store, this.removedIndex);
			LogEnd end = recovery.readRecords((segment, position, firstIndex, skipped, entries) -> {
				this.records.add(firstIndex - skipped, segment.firstIndex(), position);
				consumer.accept(firstIndex, entries);
			});
			LogWriter writer = new LogWriter(this.options, recovery.segments(end), end.lastIndex(), Runnable::run,
					this.spareBytes);
			this.writer = writer;
			writer.spare().extend();
		}
		catch (IOException ex) {
			throw this.store.failure(ex);
		}
	}

	/**
	 * Appends a batch and waits for the disk as the options say.
	 * @param batch the batch, which must not be empty
	 * @return the index of its first entry
	 * @throws DiskFullException if there is no space. Nothing was written
	 * @throws LogFailedException if writing failed
	 */
	public long append(EntryBatch batch) {
		LogWriter writer = writer();
		long index = writer.lastIndex() + 1;
		writer.append(batch);
		Segment active = writer.segments().active();
		this.records.add(index, active.header().firstIndex(), active.position() - batch.recordBytes());
		return index;
	}

	/**
	 * Allocates space for further entries, unless at least half of it is left. The thread
	 * that appends calls this.
	 * @return the space that is allocated, in bytes
	 * @throws LogFailedException if the file cannot be used any longer
	 */
	public long extend() {
		LogWriter writer = writer();
		try {
			writer.spare().extend();
			return writer.spare().allocated();
		}
		catch (IOException ex) {
			throw writer.fail(ex);
		}
	}

	/**
	 * Returns an entry.
	 * @param index the index
	 * @return a read-only buffer with the entry, or {@code null} if there is none
	 * @throws DamagedLogException if its checksum is wrong
	 */
	public @Nullable ByteBuffer read(long index) {
		if (index <= this.removedIndex || index > writer().lastIndex()) {
			return null;
		}
		Place place = this.records.find(index);
		if (place == null) {
			return null;
		}
		try {
			List<ByteBuffer> entries = this.reader.read(place);
			return entries.get((int) (index - place.firstIndex())).duplicate();
		}
		catch (IOException ex) {
			if (index <= this.removedIndex) {
				// It was removed meanwhile.
				return null;
			}
			throw this.store.failure(ex);
		}
	}

	/**
	 * Returns the index of the last entry.
	 * @return the index, 0 if the log has had no entry yet
	 */
	public long lastIndex() {
		return writer().lastIndex();
	}

	/**
	 * Removes all entries up to one. Files are deleted when all their entries are
	 * removed.
	 * @param index index of the last entry to remove, at most {@link #lastIndex()}
	 */
	public void removeUpTo(long index) {
		if (index <= this.removedIndex) {
			return;
		}
		LogWriter writer = writer();
		if (index > writer.lastIndex()) {
			throw new IllegalArgumentException("'index' is " + index + ", but the last entry is " + writer.lastIndex());
		}
		try {
			writer.force();
			this.start.write(index);
			this.removedIndex = index;
			this.records.removeBefore(index + 1);
			writer.segments().compact(index);
			Place first = this.records.find(index + 1);
			this.reader
				.removeBefore((first != null) ? first.segment() : writer.segments().active().header().firstIndex());
		}
		catch (IOException ex) {
			throw this.store.failure(ex);
		}
	}

	/**
	 * Returns whether the log has failed. A failed log rejects all batches.
	 * @return whether the log has failed
	 */
	public boolean isFailed() {
		LogWriter writer = this.writer;
		return writer != null && writer.failure() != null;
	}

	/** Forces everything to the disk, then closes the files. */
	@Override
	public void close() {
		boolean interrupted = Thread.interrupted();
		LogWriter writer = this.writer;
		if (writer != null) {
			writer.close(true);
		}
		try {
			this.reader.close();
		}
		catch (IOException ex) {
			throw this.store.failure(ex);
		}
		finally {
			this.store.close();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private LogWriter writer() {
		LogWriter writer = this.writer;
		if (writer == null) {
			throw new IllegalStateException("Replay the log first");
		}
		return writer;
	}

}
