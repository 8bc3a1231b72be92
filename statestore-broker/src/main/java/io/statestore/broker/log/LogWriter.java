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
 * Appends batches to the active segment of a log, and forces it. Continues in a new
 * segment when the active one is full, and after a failed write. One thread appends. Any
 * thread may force and remove segments.
 */
final class LogWriter {

	private static final Logger logger = LoggerFactory.getLogger(LogWriter.class);

	/** Time until a full segment tries again to continue in a new one. */
	private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private final LogOptions options;

	private final StoreFiles files;

	/** Open from the start, because the process may lack descriptors later. */
	private final Disk.OpenDirectory directory;

	/** Held to force, and to change the active segment. */
	private final ReentrantLock lock = new ReentrantLock();

	/** Sizes of the segments before the active one, by first index. All are forced. */
	private final NavigableMap<Long, Long> earlier = new ConcurrentSkipListMap<>();

	private volatile Segment active;

	private final ForcedFile forcedFile;

	/** Index of the last entry known to be on the disk. */
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
	 * @param active segment with the end of the log
	 * @param lastIndex index of the last entry, which is on the disk
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

	/** Returns the index of the last entry known to be on the disk. */
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
		// Only now: if the force fails, the next segment cuts the batch off.
		segment.advance(bytes);
		this.writtenBytes += bytes;
		this.lastIndex += batch.count();
		allocateSpare();
	}

	/**
	 * Makes room for a record, in a new segment if the active one is full. If no segment
	 * can be created, the record goes into the space that is left in the active one.
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

	/** Allocates the spare space, unless at least half of it is left. */
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

	/** Returns whether a segment has entries, besides the mark of a clean close. */
	private boolean hasEntries(Segment active) {
		return this.lastIndex >= active.header().firstIndex();
	}

	/**
	 * Continues in a new segment. If the disk is full, stays in the active one as long as
	 * it has space for the record.
	 * @param bytes size of the record
	 */
	private void rotate(int bytes) throws IOException {
		// Otherwise, a failed force could leave a gap before forced batches.
		force();
		this.lock.lock();
		try {
			requireUsable();
			Segment previous = startSegmentUnlessFull(this.options.spare().bytes());
			// After the creation of the next segment, so that no mark announces a missing
			// one. Not forced, because a power cut may remove the mark.
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
	 * Starts a segment. Tells apart the failures that leave the log usable.
	 * @throws DiskFullException if it cannot be created now. The log is unchanged
	 * @throws IOException if the log cannot be used any longer
	 */
	private Segment startSegmentUnlessFull(int bytes) throws IOException {
		Path path = this.files.layout().segment(this.lastIndex + 1);
		try {
			return startSegment(bytes);
		}
		catch (IOException ex) {
			if (ex instanceof ClosedChannelException || this.files.disk().exists(path)) {
				// If the rename took effect, the log can only continue there.
				throw ex;
			}
			throw StoreErrors.cannotGrow("create", path.toString(), ex);
		}
	}

	/**
	 * Creates a segment and makes it the active one. Its header cuts off what follows the
	 * last record of the previous one.
	 * @param bytes space for records, in bytes
	 * @return the previous segment, which is still open
	 * @throws DiskFullException if there is less space on the disk
	 * @throws IOException if the segment cannot be created
	 */
	private Segment startSegment(int bytes) throws IOException {
		Segment previous = this.active;
		SegmentHeader header = previous.header();
		boolean hasEntries = hasEntries(previous);
		// Without entries, the segment is replaced, and has the same predecessor.
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

	/** Cuts off the batches behind the end, which cannot be applied, by a new segment. */
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
	 * Forces the active segment. The system reports a failed force only once. Forces of
	 * one file therefore do not overlap, and no file is forced after a failure.
	 * @param index index of the last entry that was written. If it is forced already,
	 * this method does nothing
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
	 * Notes that the active segment was forced.
	 * @param bytes size of its file, 0 if it is unknown
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
	 * written. The file of the batch is never forced again: a second force may report
	 * success although the system has dropped the data.
	 */
	private LogFailedException reject(IOException cause) {
		this.lock.lock();
		try {
			requireUsable();
			if (cause instanceof ClosedChannelException || this.forcedIndex < this.lastIndex) {
				// The thread was interrupted, or earlier batches in the file are
				// acknowledged, but not on the disk.
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

	/** Refuses a closed log, whose files may belong to another process. */
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

	/** Makes the log unusable. */
	LogFailedException fail(Throwable cause) {
		LogFailedException failure = new LogFailedException("Writing to " + this.active.path() + " failed: " + cause
				+ ". The log accepts no more batches. Check the disk, then start the store again", cause);
		this.failure = failure;
		return failure;
	}

	/**
	 * Forces everything and closes the files.
	 * @param cleanClose whether to mark the end, which tells the next start that no entry
	 * was lost behind it
	 */
	void close(boolean cleanClose) {
		try {
			if (failure() == null) {
				force();
				this.forcedFile.force();
			}
		}
		catch (LogFailedException ex) {
			logger.error("Failed to close the log", ex);
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

	/** Writes a mark behind the last record of a segment. Returns whether it did. */
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
	 * Removes the segments that have no entry behind an index. The active one stays.
	 * @param history keeps them, {@code null} to delete them
	 */
	void removeSegments(long index, @Nullable LogHistory history) throws IOException {
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
