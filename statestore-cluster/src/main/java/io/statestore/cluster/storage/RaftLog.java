package io.statestore.cluster.storage;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.option.LogStorageOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import io.statestore.broker.history.HistoryLog;
import io.statestore.broker.log.DiskFullException;
import io.statestore.broker.log.EntryBatch;
import io.statestore.broker.log.EntryRuns;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogException;
import io.statestore.broker.log.LogHistory;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.StoreDirectoryException;
import io.statestore.broker.server.Replica;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A JRaft node's log. A batch of JRaft entries is a single record in the files, so it
 * needs a single fsync. JRaft calls methods that change the log on one thread, and other
 * methods on any thread.
 */
public final class RaftLog implements LogStorage, HistoryLog {

	private static final Logger logger = LoggerFactory.getLogger(RaftLog.class);

	/** Pause between attempts to write to a full disk, in milliseconds. */
	private static final int RETRY_MILLIS = 50;

	private final FileLog files;

	private final UUID snapshotId;

	private final LogicalLog log = new LogicalLog();

	/** Guards changes of the files. */
	private final ReentrantLock lock = new ReentrantLock();

	private final EntryBatch batch = new EntryBatch();

	/**
	 * The last appended entry, even if it has since been removed, because an entry that
	 * replaces it has a greater term; {@code null} for none.
	 */
	private volatile @Nullable LogId stored;

	/** Whether an entry could not be read. The log then refuses every change. */
	private volatile boolean unreadable;

	/** Whether to stop waiting for disk space. */
	private volatile boolean closing;

	/**
	 * Opens the log in a directory. Creates it if the directory is absent or empty.
	 * @param directory the directory
	 * @param options options for the files, including the spare space
	 * @param snapshotId identity contained in the cluster's snapshots
	 * @throws LogException if the directory cannot be used, or a file is damaged
	 */
	public RaftLog(Path directory, LogOptions options, UUID snapshotId) {
		this.snapshotId = snapshotId;
		this.files = FileLog.open(directory, options);
		try {
			this.files.replay((firstIndex, entries) -> {
				for (int i = 0; i < entries.size(); i++) {
					this.log.replay(firstIndex + i, entries.get(i));
				}
			});
			LogEntry last = this.log.isEmpty() ? null : getEntry(this.log.next() - 1);
			this.stored = (last != null) ? last.getId() : null;
		}
		catch (RuntimeException | Error ex) {
			this.files.close();
			throw ex;
		}
	}

	/**
	 * Returns whether this log keeps its past.
	 * @return {@code true} if {@link #past()} can be called
	 */
	public boolean hasHistory() {
		return this.files.history() != null;
	}

	@Override
	public LogHistory past() {
		return Objects.requireNonNull(this.files.history());
	}

	@Override
	public UUID snapshotId() {
		return this.snapshotId;
	}

	@Override
	public long place(long index, long term) {
		LogId stored = this.stored;
		boolean present = stored != null && stored.compareTo(new LogId(index, term)) >= 0;
		return (present || term == 0) ? this.log.fileIndex(index) : 0;
	}

	@Override
	public EntryRuns runs() {
		return this.log.runs();
	}

	@Override
	public List<ByteBuffer> entries(ByteBuffer entry) {
		boolean data = entry.hasRemaining() && EntryCodec.kind(entry) == EntryCodec.DATA;
		return data ? Replica.entries(EntryCodec.decode(entry).getData()) : List.of();
	}

	/** Tries to allocate spare space after it ran short. */
	public void extend() {
		if (!this.lock.tryLock()) {
			// The writer allocates space itself.
			return;
		}
		try {
			if (!this.closing) {
				this.files.allocateSpare();
			}
		}
		catch (LogException ex) {
			logger.error("Cannot allocate space for the log; trying again. Check the disk and the free space on it",
					ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public boolean init(LogStorageOptions options) {
		this.log.reportMembers(options.getConfigurationManager());
		return true;
	}

	@Override
	public long getFirstLogIndex() {
		return this.log.first();
	}

	/** Returns the index of the last entry, 0 if there is none, as JRaft expects. */
	@Override
	public long getLastLogIndex() {
		return this.log.isEmpty() ? 0 : this.log.next() - 1;
	}

	/**
	 * Returns the index up to which all entries are, or were, in the log.
	 * @return the index, 0 if there were no entries yet
	 */
	public long storedIndex() {
		return this.log.next() - 1;
	}

	/**
	 * Returns the entry that was stored last, even if it has since been removed.
	 * @return its index and term, both 0 if there were no entries
	 */
	public LogId lastStored() {
		LogId stored = this.stored;
		return (stored != null) ? stored : new LogId(0, 0);
	}

	/**
	 * Returns an entry, {@code null} if it does not exist or cannot be read. JRaft does
	 * not expect an exception here, and would continue without the entry. After a failed
	 * read, the log refuses changes, so the next change at the latest ends the node. The
	 * next start reads all files.
	 */
	@Override
	public @Nullable LogEntry getEntry(long index) {
		try {
			long fileIndex = this.log.fileIndex(index);
			ByteBuffer bytes = (fileIndex != 0) ? this.files.read(fileIndex) : null;
			return (bytes != null) ? EntryCodec.decode(bytes) : null;
		}
		catch (LogException | IllegalArgumentException ex) {
			this.unreadable = true;
			logger.error("Cannot read entry {} of the log, so the node stops at the next change and restarts. Check "
					+ "the disk", index, ex);
			return null;
		}
	}

	@Deprecated
	@Override
	public long getTerm(long index) {
		LogEntry entry = getEntry(index);
		return (entry != null) ? entry.getId().getTerm() : 0;
	}

	@Override
	public boolean appendEntry(LogEntry entry) {
		return appendEntries(List.of(entry)) == 1;
	}

	@Override
	public int appendEntries(List<LogEntry> entries) {
		if (entries.isEmpty()) {
			return 0;
		}
		boolean appended = change(() -> {
			entries.forEach((entry) -> EntryCodec.encode(this.batch, entry));
			long fileIndex = append();
			for (LogEntry entry : entries) {
				this.log.append(entry.getId().getIndex(), fileIndex++);
				this.stored = entry.getId();
			}
		});
		return appended ? entries.size() : 0;
	}

	@Override
	public boolean truncatePrefix(long firstKept) {
		if (firstKept <= this.log.first()) {
			return true;
		}
		if (firstKept >= this.log.next()) {
			return reset(firstKept);
		}
		return change(() -> {
			this.log.truncatePrefix(firstKept);
			removeUpTo(this.log.fileIndex(firstKept) - 1);
		});
	}

	@Override
	public boolean truncateSuffix(long lastKept) {
		return change(() -> {
			EntryCodec.encodeChange(this.batch, EntryCodec.TRUNCATED, lastKept);
			append();
			this.log.truncateSuffix(lastKept);
		});
	}

	@Override
	public boolean reset(long next) {
		return change(() -> {
			EntryCodec.encodeChange(this.batch, EntryCodec.RESET, next);
			long fileIndex = append();
			this.log.reset(next);
			removeUpTo(fileIndex - 1);
		});
	}

	/** Removes entries from the files. A failure costs only space. */
	private void removeUpTo(long fileIndex) {
		try {
			this.files.removeUpTo(fileIndex);
		}
		catch (StoreDirectoryException ex) {
			logger.warn("Failed to delete log entries that a snapshot replaces, so they still use space; trying again "
					+ "after the next snapshot", ex);
		}
	}

	/**
	 * Changes the log, and returns whether that succeeded. If not, JRaft ends the node.
	 */
	private boolean change(Runnable change) {
		if (this.unreadable) {
			return false;
		}
		this.lock.lock();
		try {
			this.batch.clear();
			change.run();
			return true;
		}
		catch (LogException | IllegalStateException ex) {
			logger.error("Cannot write to the log, so the node stops and restarts. Check the disk and the free space "
					+ "on it", ex);
			return false;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Appends the batch. Spare space normally prevents a full disk. If the disk is full
	 * nevertheless, this method waits, because an error would end the JRaft node.
	 */
	private long append() {
		while (true) {
			try {
				return this.files.append(this.batch);
			}
			catch (DiskFullException ex) {
				if (this.closing) {
					throw ex;
				}
				logger.warn("This node stores no entries until there is space on its disk: {}", ex.getMessage());
				pause();
			}
		}
	}

	private void pause() {
		try {
			Thread.sleep(RETRY_MILLIS);
		}
		catch (InterruptedException ex) {
			this.closing = true;
			Thread.currentThread().interrupt();
		}
	}

	/** Ends a wait for disk space. Call this before shutting down the node. */
	public void closing() {
		this.closing = true;
	}

	/**
	 * Does nothing, because JRaft calls this before the node has ended and still reads
	 * afterward.
	 */
	@Override
	public void shutdown() {
	}

	/** Closes the files. */
	public void close() {
		closing();
		this.lock.lock();
		try {
			this.files.close();
		}
		finally {
			this.lock.unlock();
		}
	}

}
