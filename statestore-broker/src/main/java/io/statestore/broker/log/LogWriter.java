package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.broker.storage.Fsync;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends batches to a log's active segment and forces it. Continues in a new segment
 * when the active segment is full and after a failed write. One thread appends. Any
 * thread may force and remove segments.
 */
final class LogWriter {

	private static final Logger logger = LoggerFactory.getLogger(LogWriter.class);

	/** How long to wait before trying again to create a new segment after a full one. */
	private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private final LogOptions options;

	private final StoreFiles files;

	/** Opened early, because the process may run out of file descriptors later. */
	private final Disk.OpenDirectory directory;

	/** Held while forcing and while changing the active segment. */
	private final ReentrantLock lock = new ReentrantLock();

	/**
	 * Sizes of the segments before the active segment, by first index. All of them are
	 * forced.
	 */
	private final NavigableMap<Long, Long> earlier = new ConcurrentSkipListMap<>();

	private volatile Segment active;

	private final ForcedFile forcedFile;

	/** Index of the last entry known to be on disk. */
	private volatile long forcedIndex;

	private volatile ForceTimes forceTimes = ForceTimes.NONE;

	private volatile boolean closed;

	private volatile @Nullable LogFailedException failure;

	private volatile long lastIndex;

	private volatile long writtenBytes;

	/** Time of the latest failure to continue in a new segment. */
	private long rotationFailed = System.nanoTime() - RETRY_NANOS;

	/**
	 * Creates a writer.
	 * @param active the segment that contains the end of the log
	 * @param lastIndex index of the last entry, which is on disk
	 */
	LogWriter(LogOptions options, StoreFiles files, Segment active, ForcedFile forcedFile, long lastIndex)
			throws IOException {
		this.options = options;
		this.files = files;
		for (Path segment : files.layout().segments(files.disk())) {
			if (StoreLayout.index(segment) < active.header().firstIndex()) {
				try (DiskFile file = files.disk().read(segment)) {
					this.earlier.put(StoreLayout.index(segment), file.size());
				}
			}
		}
		this.directory = files.disk().openDirectory(files.layout().log());
		this.active = active;
		this.forcedFile = forcedFile;
		this.lastIndex = lastIndex;
		recordForced(lastIndex, 0);
	}

	Segment active() {
		return this.active;
	}

	long lastIndex() {
		return this.lastIndex;
	}

	/** Returns the index of the last entry known to be on disk. */
	long forcedIndex() {
		return this.forcedIndex;
	}

	long writtenBytes() {
		return this.writtenBytes;
	}

	ForceTimes forceTimes() {
		return this.forceTimes;
	}

	/** Returns the number of segments. */
	int segmentCount() {
		return this.earlier.size() + 1;
	}

	/** Returns the size of all segments, in bytes. */
	long bytes() {
		return this.earlier.values().stream().mapToLong(Long::longValue).sum() + this.active.allocated();
	}

	@Nullable LogFailedException failure() {
		return this.failure;
	}

	void append(EntryBatch batch) {
		requireUsable();
		int bytes = batch.recordBytes();
		makeRoom(bytes);
		Segment segment = this.active;
		try {
			segment.write(batch.seal(segment.format(), this.lastIndex + 1, this.forcedIndex));
			if (this.options.fsync() == Fsync.ALWAYS) {
				force(this.lastIndex + batch.count());
			}
		}
		catch (IOException ex) {
			throw reject(ex);
		}
		// Advances only now: if the force had failed, the next segment would have cut the
		// batch off.
		segment.advance(bytes);
		this.writtenBytes += bytes;
		this.lastIndex += batch.count();
		allocateSpare();
	}

	/**
	 * Makes room for a record, in a new segment if the active segment is full. If a new
	 * segment cannot be created, the record uses the space left in the active segment.
	 */
	private void makeRoom(int bytes) {
		Segment active = this.active;
		try {
			if (hasEntries(active) && active.position() + bytes > this.options.segmentBytes()
					&& (bytes > active.spare() || System.nanoTime() - this.rotationFailed >= RETRY_NANOS)) {
				rotate(bytes);
			}
			this.active.allocate(bytes, this.options.segmentBytes());
		}
		catch (DiskFullException ex) {
			this.options.spare().update(0);
			throw ex;
		}
		catch (IOException ex) {
			throw fail(ex);
		}
	}

	/** Allocates the spare space unless at least half of it is left. */
	void allocateSpare() {
		Segment active = this.active;
		SpareSpace spare = this.options.spare();
		try {
			if (active.spare() < spare.bytes() / 2) {
				active.allocate(spare.bytes(), this.options.segmentBytes());
			}
		}
		catch (DiskFullException ex) {
			logger.debug("Cannot allocate spare space", ex);
		}
		catch (IOException ex) {
			throw fail(ex);
		}
		spare.update(active.spare());
	}

	/** Returns whether a segment has entries, not counting marks. */
	private boolean hasEntries(Segment active) {
		return this.lastIndex >= active.header().firstIndex();
	}

	/**
	 * Continues in a new segment. If the disk is full, stays in the active segment as
	 * long as it has room for the record.
	 * @param bytes size of the record to write next
	 */
	private void rotate(int bytes) throws IOException {
		// Forces first. Otherwise, a failed force could leave a gap before forced
		// batches.
		force();
		this.lock.lock();
		try {
			requireUsable();
			Segment previous = startSegmentUnlessFull(this.options.spare().bytes());
			// Written after the next segment is created, so that no mark announces a
			// missing segment. Not forced, because losing the mark in a power failure
			// does no harm.
			writeMark(previous, previous.format().continuation(this.lastIndex + 1, this.forcedIndex));
			previous.closeQuietly();
		}
		catch (DiskFullException ex) {
			if (bytes > this.active.spare()) {
				throw ex;
			}
			this.rotationFailed = System.nanoTime();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Starts a segment. The exception shows whether the log is still usable.
	 * @throws DiskFullException if the segment cannot be created now. The log is
	 * unchanged
	 * @throws IOException if the log is no longer usable
	 */
	private Segment startSegmentUnlessFull(int bytes) throws IOException {
		Path path = this.files.layout().segment(this.lastIndex + 1);
		try {
			return startSegment(bytes);
		}
		catch (IOException ex) {
			if (ex instanceof ClosedChannelException || this.files.disk().exists(path)) {
				// If the rename took effect, the log could only continue in that file.
				throw ex;
			}
			throw DiskFullException.cannotGrow("create", path.toString(), ex);
		}
	}

	/**
	 * Creates a segment and makes it the active segment. Its header cuts off everything
	 * after the previous segment's last record.
	 * @param bytes space for records, in bytes
	 * @return the previous segment, which is still open
	 * @throws DiskFullException if the disk has less free space
	 * @throws IOException if the segment cannot be created
	 */
	private Segment startSegment(int bytes) throws IOException {
		Segment previous = this.active;
		SegmentHeader header = previous.header();
		boolean hasEntries = hasEntries(previous);
		// A segment without entries is replaced; the new segment has the same
		// predecessor.
		SegmentHeader next = hasEntries
				? new SegmentHeader(header.storeId(), this.lastIndex + 1, header.firstIndex(), previous.position(),
						this.forcedIndex)
				: new SegmentHeader(header.storeId(), this.lastIndex + 1, header.previousIndex(), header.previousEnd(),
						this.forcedIndex);
		Segment segment = Segment.create(this.files.disk(), this.files.layout().segment(this.lastIndex + 1), next,
				bytes);
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
	 * Starts a new segment, which cuts off the batches after the end that cannot be
	 * applied.
	 */
	void cutOffRest() throws IOException {
		try {
			startSegment(0).closeQuietly();
		}
		catch (IOException ex) {
			closeFiles();
			throw ex;
		}
	}

	/**
	 * Forces the active segment. The operating system reports a failed force only once.
	 * Forces of a file therefore must not overlap, and a file is never forced again after
	 * a failure.
	 * @param index index of the last entry written. If it is already forced, this method
	 * does nothing
	 * @throws IOException if forcing fails
	 * @throws LogFailedException if the log has failed
	 */
	private void force(long index) throws IOException {
		this.lock.lock();
		try {
			requireUsable();
			if (index > this.forcedIndex) {
				long start = System.nanoTime();
				long bytes = this.active.extendedTo();
				this.active.force();
				this.forceTimes = this.forceTimes.plus(System.nanoTime() - start);
				recordForced(index, bytes);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Records that the active segment was forced.
	 * @param bytes size of its file, 0 if unknown
	 */
	private void recordForced(long index, long bytes) {
		this.forcedIndex = index;
		this.forcedFile.write(new ForcedEnd(index, this.active.header().firstIndex(), bytes));
	}

	/** Forces everything that was appended before the call. */
	void force() {
		try {
			requireUsable();
			force(this.lastIndex);
		}
		catch (IOException ex) {
			throw fail(ex);
		}
	}

	/**
	 * Continues in a new segment whose header cuts off the batch that could not be
	 * written. The batch's file is never forced again: a second force may report success
	 * even though the operating system has dropped the data.
	 */
	private LogFailedException reject(IOException cause) {
		this.lock.lock();
		try {
			requireUsable();
			if (cause instanceof ClosedChannelException || this.forcedIndex < this.lastIndex) {
				// The thread was interrupted, or the file contains acknowledged batches
				// that are not on disk.
				return fail(cause);
			}
			Segment failed = startSegment(0);
			failed.closeQuietly();
			return new LogFailedException("Writing to " + failed.path() + " failed: " + cause.getMessage()
					+ ". The batch was rejected, and the log continues in " + this.active.path() + ". Check the disk",
					cause);
		}
		catch (IOException | DiskFullException ex) {
			cause.addSuppressed(ex);
			return fail(cause);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Throws if the log is closed, because its files may belong to another process. */
	private void requireOpen() {
		if (this.closed) {
			throw new IllegalStateException("The log is closed");
		}
	}

	private void requireUsable() {
		requireOpen();
		LogFailedException failure = this.failure;
		if (failure != null) {
			throw new LogFailedException("The log has failed and accepts no more batches. Start the store again",
					failure);
		}
	}

	/** Makes the log unusable and returns the exception to throw. */
	LogFailedException fail(Throwable cause) {
		LogFailedException failure = new LogFailedException("Writing to " + this.active.path() + " failed: " + cause
				+ ". The log accepts no more batches. Check the disk, then start the store again", cause);
		this.failure = failure;
		return failure;
	}

	/**
	 * Forces everything and closes the files.
	 * @param cleanClose whether to write a mark, which tells the next process that no
	 * entries after it were lost
	 */
	void close(boolean cleanClose) {
		try {
			if (failure() == null) {
				force();
				this.forcedFile.force();
			}
		}
		catch (LogFailedException ex) {
			logger.error("Failed to force the log to disk while closing it, so the latest writes may be lost. Check "
					+ "the disk", ex);
		}
		this.lock.lock();
		try {
			Segment end = this.active;
			if (cleanClose && failure() == null
					&& writeMark(end, end.format().cleanClose(this.lastIndex + 1, this.forcedIndex))) {
				end.force();
			}
		}
		catch (IOException ex) {
			logger.debug("Cannot mark the end of the log", ex);
		}
		finally {
			closeFiles();
			this.lock.unlock();
		}
	}

	/** Writes a mark after a segment's last record. Returns whether it was written. */
	private static boolean writeMark(Segment segment, ByteBuffer mark) {
		try {
			return segment.writeMark(mark);
		}
		catch (IOException ex) {
			logger.debug("Cannot write a mark behind {}", segment.path(), ex);
			return false;
		}
	}

	private void closeFiles() {
		this.closed = true;
		this.active.closeQuietly();
		this.forcedFile.close();
		StoreFiles.closeQuietly(this.directory, this.files.layout().log());
	}

	/**
	 * Removes the segments that have no entries after an index, except the active
	 * segment.
	 * @param history keeps the removed segments, {@code null} to delete them
	 */
	void removeSegments(long index, @Nullable LogHistory history) throws IOException {
		for (Long first = firstUpTo(index); first != null; first = firstUpTo(index)) {
			// Done without holding the lock, because deletions take long.
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

	/** Returns the first segment, or {@code null} if it has entries after an index. */
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
