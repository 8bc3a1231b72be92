package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Consumer;

import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.HistoryRetention;
import org.jspecify.annotations.Nullable;

/**
 * The command log and snapshots of one store in a directory. Alternatively, a cluster
 * node's log, which is {@linkplain LogOptions#indexed indexed} and has no snapshots here.
 * Entries are numbered from 1, without gaps.
 * <p>
 * Open the log, read the {@linkplain #snapshot() snapshot}, {@linkplain #replay replay}
 * the batches after it (even if the store is new), then {@linkplain #append append}. Only
 * one thread at a time may replay and append. Do not interrupt this thread: an interrupt
 * closes the file, which makes the log fail. Snapshots may be written by another thread.
 * All other methods are thread-safe.
 */
public final class FileLog implements AutoCloseable {

	private final LogOptions options;

	private final StoreFiles files;

	private final Closeable lock;

	private final boolean created;

	private volatile @Nullable Restored restored;

	private final Snapshots snapshots;

	private final @Nullable LogHistory history;

	/** Locations of the entries, {@code null} unless the log is indexed. */
	private final @Nullable StoredEntries entries;

	/** Total size of the batches replayed at startup, in bytes. */
	private long replayedBytes;

	/** Index of the first entry that this process appends, if any. */
	private long firstAppendedIndex;

	private volatile boolean closed;

	private boolean closedCleanly;

	private volatile @Nullable LogWriter writer;

	private @Nullable IntervalForce intervalForce;

	private volatile Consumer<LogFailedException> failureListener = (failure) -> {
	};

	private FileLog(LogOptions options, Disk disk, StoreLayout layout, Closeable lock) throws IOException {
		this.options = options;
		this.lock = lock;
		this.created = !disk.exists(layout.store());
		this.files = StoreCreation.openOrCreate(disk, layout);
		StoreIdentity identity = this.files.identity();
		this.restored = identity.restored();
		HistoryRetention retention = options.history();
		this.history = (retention != null) ? new LogHistory(disk, layout, identity, retention) : null;
		this.snapshots = new Snapshots(this.files, this.history);
		this.entries = options.indexed() ? new StoredEntries(this.files, this.history) : null;
	}

	/**
	 * Opens a store's log. Creates the store if the directory is absent or empty.
	 * @param directory the store's directory
	 * @param options the log options
	 * @return the log, which must be replayed before use
	 * @throws StoreDirectoryException if the directory cannot be used: another process
	 * uses it, a newer version wrote it, it holds other files, or access is denied
	 * @throws DamagedLogException if a file is damaged or missing
	 */
	public static FileLog open(Path directory, LogOptions options) {
		return open(directory, options, new FileDisk());
	}

	/** Opens the log on a given disk, which tests simulate. */
	static FileLog open(Path directory, LogOptions options, Disk disk) {
		try {
			StoreLayout layout = new StoreLayout(directory);
			disk.createDirectories(directory);
			Closeable lock = disk.lock(layout);
			try {
				return new FileLog(options, disk, layout, lock);
			}
			catch (IOException | RuntimeException | Error ex) {
				lock.close();
				throw ex;
			}
		}
		catch (IOException ex) {
			throw StoreDirectoryException.of(directory, ex);
		}
	}

	/**
	 * Returns the store's identity.
	 * @return a random identity, chosen when the store was created
	 */
	public UUID storeId() {
		return this.files.identity().id();
	}

	/**
	 * Returns whether {@link #open} created the store.
	 * @return {@code false} if the directory already had a store, even an empty one
	 */
	public boolean isCreated() {
		return this.created;
	}

	/**
	 * Returns the restore from a backup that created this store, until
	 * {@link #restoredHandled()} is called.
	 * @return the restore, or {@code null} if there is none to handle
	 */
	public @Nullable Restored restored() {
		return this.restored;
	}

	/**
	 * Removes the record of the restore. Call this as soon as an entry that raises the
	 * version floor is on disk.
	 * @throws StoreDirectoryException if the directory cannot be changed
	 * @throws IllegalStateException if the log is closed
	 */
	public void restoredHandled() {
		requireOpen();
		try {
			new StoreIdentity(storeId(), null).write(this.files.disk(), this.files.layout());
			this.restored = null;
		}
		catch (IOException ex) {
			throw directoryException(ex);
		}
	}

	/**
	 * Opens the latest snapshot.
	 * @return the snapshot, which the caller must close, or {@code null} if there is none
	 * @throws DamagedLogException if the snapshot is damaged
	 */
	public @Nullable SnapshotInput snapshot() {
		try {
			return this.snapshots.open();
		}
		catch (IOException ex) {
			throw directoryException(ex);
		}
	}

	/**
	 * Reads all batches after the latest snapshot and cuts off an incomplete write at the
	 * end of the log. Must be called once before the first {@link #append}. Entries that
	 * the snapshot contains or that were removed are skipped.
	 * @param consumer receives the batches
	 * @throws DamagedLogException if a file is damaged or missing
	 * @throws StoreDirectoryException if a file cannot be used, or belongs to another
	 * store
	 * @throws IllegalStateException if this method has already been called, or the log is
	 * closed
	 */
	public void replay(BatchConsumer consumer) {
		requireOpen();
		if (this.writer != null) {
			throw new IllegalStateException("The log was replayed before");
		}
		try {
			StoredEntries entries = this.entries;
			long removed = (entries != null) ? entries.removedIndex() : 0;
			LogRecovery recovery = new LogRecovery(this.files, Math.max(this.snapshots.index(), removed));
			LogEnd end = recovery.read((segment, position, firstIndex, skipped, batch) -> {
				if (entries != null) {
					entries.add(firstIndex - skipped, segment.firstIndex(), position);
				}
				consumer.accept(firstIndex, batch);
			});
			this.replayedBytes = end.replayedBytes();
			this.firstAppendedIndex = end.lastIndex() + 1;
			this.closedCleanly = end.closedCleanly();
			start(recovery.openWriter(end, this.options));
		}
		catch (IOException ex) {
			throw directoryException(ex);
		}
	}

	private void start(LogWriter writer) {
		this.writer = writer;
		writer.allocateSpare();
		if (this.options.fsync() == Fsync.INTERVAL) {
			this.intervalForce = new IntervalForce(writer, this.options.interval(),
					(failure) -> this.failureListener.accept(failure));
		}
	}

	/**
	 * Sets a listener for a log failure outside {@link #append}, for example when
	 * {@link Fsync#INTERVAL} forces the log. Must be called before {@link #replay}.
	 * @param listener called once, on another thread. It must not close the log on that
	 * thread
	 */
	public void onFailure(Consumer<LogFailedException> listener) {
		this.failureListener = listener;
	}

	/**
	 * Appends a batch and waits for the disk as the options require. An empty batch is
	 * ignored.
	 * @param batch the batch, whose entries are numbered from {@link #lastIndex()} + 1
	 * @return the index of its first entry
	 * @throws DiskFullException if there is no space. Nothing was written, and the log
	 * stays usable
	 * @throws LogFailedException if writing failed. See {@link LogFailedException} for
	 * whether the log stays usable
	 * @throws IllegalStateException before {@link #replay}, or if the log is closed
	 */
	public long append(EntryBatch batch) {
		LogWriter writer = writer();
		long index = writer.lastIndex() + 1;
		if (batch.count() > 0) {
			writer.append(batch);
			if (this.entries != null) {
				Segment active = writer.active();
				this.entries.add(index, active.header().firstIndex(), active.position() - batch.recordBytes());
			}
		}
		return index;
	}

	/**
	 * Allocates {@linkplain LogOptions#spare() spare space} unless at least half of it is
	 * left. Each append does so, too. While the disk is full and entries are refused,
	 * only this method detects that space has become available. Must not run during an
	 * append.
	 * @throws LogFailedException if the file is no longer usable
	 */
	public void allocateSpare() {
		writer().allocateSpare();
	}

	/**
	 * Returns an entry.
	 * @param index the entry's index
	 * @return a read-only buffer with the entry, or {@code null} if there is none
	 * @throws DamagedLogException if its checksum is wrong
	 * @throws IllegalStateException unless the log is {@linkplain LogOptions#indexed
	 * indexed}
	 */
	public @Nullable ByteBuffer read(long index) {
		if (index > lastIndex()) {
			return null;
		}
		try {
			return entries().read(index);
		}
		catch (IOException ex) {
			throw directoryException(ex);
		}
	}

	/**
	 * Removes all entries up to an index. When all of a file's entries are removed, the
	 * file is deleted or becomes part of the {@linkplain #history() history}.
	 * @param index index of the last entry to remove, at most {@link #lastIndex()}
	 * @throws IllegalStateException unless the log is {@linkplain LogOptions#indexed
	 * indexed}
	 */
	public void removeUpTo(long index) {
		StoredEntries entries = entries();
		if (index <= entries.removedIndex()) {
			return;
		}
		LogWriter writer = writer();
		if (index > writer.lastIndex()) {
			throw new IllegalArgumentException("'index' is " + index + ", but the last entry is " + writer.lastIndex());
		}
		try {
			writer.force();
			entries.removeUpTo(index, writer);
		}
		catch (IOException ex) {
			throw directoryException(ex);
		}
	}

	private StoredEntries entries() {
		if (this.entries == null) {
			throw new IllegalStateException("The log is not indexed");
		}
		return this.entries;
	}

	private StoreDirectoryException directoryException(IOException cause) {
		return StoreDirectoryException.of(this.files.layout().directory(), cause);
	}

	private void requireOpen() {
		if (this.closed) {
			throw new IllegalStateException("The log is closed");
		}
	}

	private LogWriter writer() {
		LogWriter writer = this.writer;
		if (writer == null) {
			throw new IllegalStateException("Replay the log first");
		}
		return writer;
	}

	/**
	 * Returns whether the previous process closed the log after its last entry. If not, a
	 * power failure may have removed entries that were not forced.
	 * @return {@code true} if the log has all entries that were ever appended
	 */
	public boolean wasClosedCleanly() {
		return this.closedCleanly;
	}

	/**
	 * Forces all appended batches to disk regardless of the options.
	 * @throws LogFailedException if forcing failed, which makes the log unusable
	 */
	public void force() {
		writer().force();
	}

	/**
	 * Returns the index of the last entry.
	 * @return the index, 0 if no entry has been appended yet
	 * @throws IllegalStateException before {@link #replay}
	 */
	public long lastIndex() {
		return writer().lastIndex();
	}

	/**
	 * Returns whether the log has failed. A failed log rejects all batches.
	 * @return {@code true} if the store must stop, because entries may be missing on disk
	 */
	public boolean isFailed() {
		LogWriter writer = this.writer;
		return writer != null && writer.failure() != null;
	}

	/**
	 * Returns the segments and snapshots that this log no longer needs.
	 * @return the history, or {@code null} if the log does not keep a history
	 */
	public @Nullable LogHistory history() {
		return this.history;
	}

	/**
	 * Returns the index of the latest snapshot.
	 * @return the index, 0 if there is none
	 */
	public long snapshotIndex() {
		return this.snapshots.index();
	}

	/**
	 * Begins a snapshot of the state after an entry. Only one snapshot can be written at
	 * a time.
	 * @param index index of the last entry whose effect the snapshot contains, at most
	 * {@link #lastIndex()}
	 * @return the output, which the caller must close
	 * @throws DiskFullException if the file cannot be created
	 * @throws IllegalArgumentException if the log has no such entry
	 * @throws IllegalStateException if another snapshot is being written, or the log is
	 * closed
	 */
	public SnapshotOutput beginSnapshot(long index) {
		requireOpen();
		LogWriter writer = writer();
		if (index < Math.max(1, this.snapshots.index()) || index > writer.lastIndex()) {
			throw new IllegalArgumentException(
					"'index' is " + index + "; valid are the entries from the latest snapshot, "
							+ this.snapshots.index() + ", to the last one, " + writer.lastIndex());
		}
		try {
			return this.snapshots.begin(index, writer, this.replayedBytes + writer.writtenBytes());
		}
		catch (IOException ex) {
			throw DiskFullException.cannotGrow("create", "a snapshot in " + this.files.layout().snapshots(), ex);
		}
	}

	/**
	 * Returns statistics of this log.
	 * @return a snapshot of the statistics
	 * @throws IllegalStateException before {@link #replay}
	 */
	public LogStatistics statistics() {
		LogWriter writer = writer();
		ForceTimes times = writer.forceTimes();
		Snapshots.Latest latest = this.snapshots.latest();
		long written = writer.writtenBytes();
		return new LogStatistics(writer.lastIndex(), writer.forcedIndex(), writer.segmentCount(), writer.bytes(),
				this.replayedBytes + written - ((latest != null) ? latest.logBytes() : 0), written, times.count(),
				times.total(), times.max(), (latest != null) ? latest.index() : 0,
				(latest != null) ? latest.time() : null, (latest != null) ? latest.bytes() : 0);
	}

	/**
	 * Forces the log to disk regardless of the options, then closes all files. Waits for
	 * the disk no matter how long it takes. Close an open snapshot first.
	 */
	@Override
	public void close() {
		// If the interrupt flag were set, forcing would close the file instead.
		boolean interrupted = Thread.interrupted();
		if (!this.closed) {
			this.closed = true;
			closeFiles();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private void closeFiles() {
		if (this.intervalForce != null) {
			this.intervalForce.close();
		}
		LogWriter writer = this.writer;
		if (writer != null) {
			// If this process appended no entries, the log keeps its previous end. A mark
			// would hide that a power failure may have removed entries earlier.
			writer.close(writer.lastIndex() >= this.firstAppendedIndex);
		}
		if (this.entries != null) {
			this.entries.close();
		}
		StoreFiles.closeQuietly(this.lock, this.files.layout().lock());
	}

}
