package io.statestore.broker.log;

import java.nio.file.Path;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * Command log and snapshots of one store in a directory. Entries are numbered from 1,
 * without gaps.
 * <p>
 * Use: open, read the {@linkplain #snapshot() snapshot}, {@linkplain #replay replay} the
 * batches behind it (also of a new store), then {@linkplain #append append}. One thread
 * at a time may replay and append. It must not be interrupted: an interrupt closes the
 * file, which fails the log. Snapshots may be written by another thread. All other
 * methods are thread-safe.
 */
public final class FileLog implements AutoCloseable {

	/**
	 * Opens the log of a store. Creates the store if the directory is absent or empty.
	 * @param directory the directory
	 * @param options options
	 * @return the log
	 * @throws StoreDirectoryException if the directory cannot be used: another process
	 * uses it, a newer version wrote it, it holds other files, or access is denied
	 * @throws DamagedLogException if a file is damaged or missing
	 */
	public static FileLog open(Path directory, LogOptions options) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Returns the identity of the store.
	 * @return a random identity, chosen when the store was created
	 */
	public UUID storeId() {
		throw new UnsupportedOperationException();
	}

	/**
	 * Returns the fact that the store was restored from a backup, until
	 * {@link #restoredHandled()}.
	 * @return the restore, or {@code null}
	 */
	public @Nullable Restored restored() {
		return null;
	}

	/**
	 * Forgets the restore. Call this as soon as an entry that raises the version floor is
	 * on the disk.
	 */
	public void restoredHandled() {
	}

	/**
	 * Opens the latest snapshot.
	 * @return the snapshot, or {@code null} if there is none. The caller closes it
	 * @throws DamagedLogException if the snapshot is damaged
	 */
	public @Nullable SnapshotInput snapshot() {
		return null;
	}

	/**
	 * Reads all batches behind the latest snapshot and cuts off an incomplete write at
	 * the end of the log. Required once before the first {@link #append}. Entries that
	 * the snapshot contains are left out.
	 * @param consumer receives the batches
	 * @param progress receives the progress
	 * @throws DamagedLogException if a file is damaged or missing
	 */
	public void replay(BatchConsumer consumer, ReplayProgress progress) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Appends a batch and waits for the disk as the options say. An empty batch is
	 * ignored.
	 * @param batch the batch, which gets the indexes behind {@link #lastIndex()}
	 * @param force whether {@link io.statestore.broker.storage.Fsync#ALWAYS} applies to
	 * the batch. If {@code false}, the batch is on the disk with the next batch that is
	 * forced, or with the next snapshot
	 * @throws DiskFullException if there is no space. Nothing was written, and the log
	 * stays usable
	 * @throws LogFailedException if writing failed. See there for whether the log stays
	 * usable
	 */
	public void append(EntryBatch batch, boolean force) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Returns the index of the last entry.
	 * @return the index, 0 if the log has had no entry yet
	 */
	public long lastIndex() {
		return 0;
	}

	/**
	 * Returns whether the log has failed. A failed log rejects all batches. The store has
	 * to stop, because the disk may hold less than it should.
	 * @return whether the log has failed
	 */
	public boolean isFailed() {
		return false;
	}

	/**
	 * Begins a snapshot of the state after an entry. Only one snapshot can be written at
	 * a time.
	 * @param index index of the last entry whose effect the snapshot contains, at most
	 * {@link #lastIndex()}
	 * @return the output. The caller closes it
	 * @throws DiskFullException if the file cannot be created
	 * @throws IllegalStateException if another snapshot is being written
	 */
	public SnapshotOutput beginSnapshot(long index) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Returns figures of this log.
	 * @return the figures
	 */
	public LogStatistics statistics() {
		throw new UnsupportedOperationException();
	}

	/** Forces the log to the disk, unless the options say never, and closes all files. */
	@Override
	public void close() {
	}

}
