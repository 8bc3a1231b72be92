package io.statestore.broker.log;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Segments of a log: the active one, to which batches are appended, and the earlier ones.
 */
final class LogSegments {

	private static final Logger logger = LoggerFactory.getLogger(LogSegments.class);

	private final StoreFiles files;

	/** Open from the start, because the process may lack descriptors later. */
	private final Disk.OpenDirectory directory;

	private final ReentrantLock lock = new ReentrantLock();

	/** Sizes of the earlier segments, which are on the disk, by first index. */
	private final NavigableMap<Long, Long> earlier = new ConcurrentSkipListMap<>();

	private volatile Segment active;

	private final ForcedFile forced;

	private volatile long forcedIndex;

	private volatile ForceTimes forceTimes = ForceTimes.NONE;

	private volatile boolean closed;

	private volatile @Nullable LogFailedException failure;

	/**
	 * Creates the segments of a log.
	 * @param earlier sizes of the earlier segments, by first index
	 * @param lastIndex index of the last entry, which is on the disk
	 */
	LogSegments(StoreFiles files, Map<Long, Long> earlier, Segment active, ForcedFile forced, long lastIndex)
			throws IOException {
		this.forced = forced;
		this.files = files;
		this.directory = files.disk().openDirectory(files.layout().log());
		this.earlier.putAll(earlier);
		this.active = active;
		confirm(lastIndex, active, 0);
	}

	/** Returns the index of the last entry known to be on the disk. */
	long forcedIndex() {
		return this.forcedIndex;
	}

	ForceTimes forceTimes() {
		return this.forceTimes;
	}

	/**
	 * Forces the active segment. The system reports a failed force only once. Forces of
	 * one file therefore do not overlap, and no file is forced after a failure.
	 * @param index index of the last entry that was written
	 * @throws IOException if forcing fails
	 * @throws LogFailedException if the log has failed
	 */
	void force(long index) throws IOException {
		this.lock.lock();
		try {
			requireUsable();
			if (index > this.forcedIndex) {
				long start = System.nanoTime();
				long bytes = this.active.extended();
				this.active.force();
				this.forceTimes = this.forceTimes.plus(System.nanoTime() - start);
				confirm(index, this.active, bytes);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void confirm(long index, Segment segment, long bytes) {
		this.forcedIndex = index;
		this.forced.write(new ForcedEnd(index, segment.header().firstIndex(), bytes));
	}

	@Nullable LogFailedException failure() {
		return this.failure;
	}

	/** Refuses a closed log, whose files may belong to another process. */
	private void requireOpen() {
		if (this.closed) {
			throw new IllegalStateException("The log is closed");
		}
	}

	void requireUsable() {
		requireOpen();
		LogFailedException failure = this.failure;
		if (failure != null) {
			throw new LogFailedException("The log has failed and accepts no more batches. Start the store again",
					failure);
		}
	}

	/** Makes the log unusable. */
	LogFailedException fail(Throwable cause) {
		LogFailedException failure = new LogFailedException("Writing to " + this.active.path() + " failed: " + cause
				+ ". The log accepts no more batches. Check the disk, then start the store again", cause);
		this.failure = failure;
		return failure;
	}

	/** Returns the lock that is held to force and to change the active segment. */
	ReentrantLock lock() {
		return this.lock;
	}

	Segment active() {
		return this.active;
	}

	/** Returns the file that names how much of the log is on the disk. */
	ForcedFile forced() {
		return this.forced;
	}

	int count() {
		return this.earlier.size() + 1;
	}

	/** Returns the size of all segments, in bytes. */
	long bytes() {
		return this.earlier.values().stream().mapToLong(Long::longValue).sum() + this.active.allocated();
	}

	/**
	 * Continues in a new segment, whose header cuts off what follows the last record of
	 * the active one.
	 * @param lastIndex index of the last entry, which is on the disk
	 * @param bytes space for records, in bytes
	 * @return the previous segment, which is still open
	 * @throws DiskFullException if there is less space on the disk
	 * @throws IOException if the segment cannot be created
	 */
	Segment advance(long lastIndex, int bytes) throws IOException {
		Segment previous = this.active;
		SegmentHeader header = previous.header();
		boolean hasEntries = lastIndex >= header.firstIndex();
		// Without entries, the segment is replaced, and has the same predecessor.
		SegmentHeader next = hasEntries
				? new SegmentHeader(header.storeId(), lastIndex + 1, header.firstIndex(), previous.position(),
						this.forcedIndex)
				: new SegmentHeader(header.storeId(), lastIndex + 1, header.previousIndex(), header.previousEnd(),
						this.forcedIndex);
		Segment segment = Segment.create(this.files.disk(), this.files.layout().segment(lastIndex + 1), next, bytes);
		try {
			this.directory.force();
		}
		catch (IOException ex) {
			segment.closeQuietly();
			throw ex;
		}
		this.active = segment;
		if (hasEntries) {
			this.earlier.put(header.firstIndex(), previous.allocated());
		}
		return previous;
	}

	/**
	 * Continues in a new segment because the active one is full.
	 * @throws DiskFullException if it cannot be created now
	 * @throws IOException if the log cannot be used any longer
	 */
	Segment rotate(long lastIndex, int bytes) throws IOException {
		Path path = this.files.layout().segment(lastIndex + 1);
		try {
			return advance(lastIndex, bytes);
		}
		catch (IOException ex) {
			if (ex instanceof ClosedChannelException || this.files.disk().exists(path)) {
				// If the rename took effect, the log can only continue there.
				throw ex;
			}
			throw StoreErrors.cannotGrow("create", path.toString(), ex);
		}
	}

	/** Closes the files. Call this under the {@linkplain #lock() lock}. */
	void close() {
		this.closed = true;
		this.active.closeQuietly();
		this.forced.close();
		try {
			this.directory.close();
		}
		catch (IOException ex) {
			logger.debug("Cannot close {}", this.files.layout().log(), ex);
		}
	}

	/**
	 * Removes the segments that have no entry behind an index.
	 * @param history keeps them, {@code null} to delete them
	 */
	void compact(long index, @Nullable LogHistory history) throws IOException {
		for (Long first = firstUpTo(index); first != null; first = firstUpTo(index)) {
			// Not under the lock, because deletions take long.
			Path segment = this.files.layout().segment(first);
			if (history != null) {
				history.retire(segment);
			}
			else {
				this.files.disk().delete(segment);
			}
			this.earlier.remove(first);
		}
	}

	/** Returns the first segment, or {@code null} if it has entries behind an index. */
	private @Nullable Long firstUpTo(long index) {
		this.lock.lock();
		try {
			requireOpen();
			if (this.earlier.isEmpty()) {
				return null;
			}
			Long first = this.earlier.firstKey();
			Long following = this.earlier.higherKey(first);
			long next = (following != null) ? following : this.active.header().firstIndex();
			return (next <= index + 1) ? first : null;
		}
		finally {
			this.lock.unlock();
		}
	}

}
