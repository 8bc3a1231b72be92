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
 * Segments of a log. Appends batches to the active one. Continues in a new segment when
 * it is full, and after a failed write. One thread appends. Any thread may force and
 * compact.
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

	/** Sizes of the earlier segments, which are on the disk, by first index. */
	private final NavigableMap<Long, Long> earlier = new ConcurrentSkipListMap<>();

	private volatile Segment active;

	/** Names how much of the log is on the disk. */
	private final ForcedFile forced;

	private volatile long forcedIndex;

	private volatile ForceTimes forceTimes = ForceTimes.NONE;

	private volatile boolean closed;

	private volatile @Nullable LogFailedException failure;

	private volatile long lastIndex;

	private volatile long writtenBytes;

	/** Time of the latest attempt to continue in a new segment that failed. */
	private long rotationFailed = System.nanoTime() - RETRY_NANOS;

	/**
	 * Creates a writer.
	 * @param active segment with the end of the log
	 * @param lastIndex index of the last entry, which is on the disk
	 */
	LogWriter(LogOptions options, StoreFiles files, Segment active, ForcedFile forced, long lastIndex)
			throws IOException {
		this.options = options;
		this.files = files;
		for (Path segment : LogReader.segments(files.disk(), files.layout())) {
			if (StoreLayout.index(segment) < active.header().firstIndex()) {
				try (DiskFile file = files.disk().read(segment)) {
					this.earlier.put(StoreLayout.index(segment), file.size());
				}
			}
		}
		this.directory = files.disk().openDirectory(files.layout().log());
		this.active = active;
		this.forced = forced;
		this.lastIndex = lastIndex;
		confirm(lastIndex, 0);
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
	int segments() {
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
		segment.advance(bytes);
		this.writtenBytes += bytes;
		this.lastIndex += batch.count();
		extend();
	}

	/** Makes room for a record, in a new segment if it does not fit. */
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
	void extend() {
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

	private void rotate(int bytes) throws IOException {
		// Otherwise, a failed force could leave a gap before forced batches.
		force();
		this.lock.lock();
		try {
			requireUsable();
			Segment previous = advance(this.options.spare().bytes());
			// Without a force: the mark may be lost in a power cut, but not precede the
			// next segment.
			mark(previous, previous.format().continuation(this.lastIndex + 1, this.forcedIndex));
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
	 * Continues in a new segment.
	 * @throws DiskFullException if it cannot be created now
	 * @throws IOException if the log cannot be used any longer
	 */
	private Segment advance(int bytes) throws IOException {
		Path path = this.files.layout().segment(this.lastIndex + 1);
		try {
			return leave(bytes);
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
	 * Continues in a new segment, whose header cuts off what follows the last record of
	 * the active one.
	 * @param bytes space for records, in bytes
	 * @return the previous segment, which is still open
	 * @throws DiskFullException if there is less space on the disk
	 * @throws IOException if the segment cannot be created
	 */
	private Segment leave(int bytes) throws IOException {
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

	/** Continues in a new segment, because batches behind the end cannot be applied. */
	void leaveRest() throws IOException {
		try {
			leave(0).closeQuietly();
		}
		catch (IOException ex) {
			closeFiles();
			throw ex;
		}
	}

	/**
	 * Forces the active segment. The system reports a failed force only once. Forces of
	 * one file therefore do not overlap, and no file is forced after a failure.
	 * @param index index of the last entry that was written
	 * @throws IOException if forcing fails
	 * @throws LogFailedException if the log has failed
	 */
	private void force(long index) throws IOException {
		this.lock.lock();
		try {
			requireUsable();
			if (index > this.forcedIndex) {
				long start = System.nanoTime();
				long bytes = this.active.extended();
				this.active.force();
				this.forceTimes = this.forceTimes.plus(System.nanoTime() - start);
				confirm(index, bytes);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void confirm(long index, long bytes) {
		this.forcedIndex = index;
		this.forced.write(new ForcedEnd(index, this.active.header().firstIndex(), bytes));
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
			Segment failed = leave(0);
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
	 * @param mark whether to mark the end. The mark tells the next start that the last
	 * batch was on the disk
	 */
	void close(boolean mark) {
		try {
			if (failure() == null) {
				force();
				this.forced.force();
			}
		}
		catch (LogFailedException ex) {
			logger.error("Failed to close the log", ex);
		}
		this.lock.lock();
		try {
			Segment end = this.active;
			if (mark && failure() == null && mark(end, end.format().end(this.lastIndex + 1, this.forcedIndex))) {
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

	/** Writes a mark behind a segment. Returns whether there was room for it. */
	private static boolean mark(Segment segment, ByteBuffer mark) {
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
		this.forced.close();
		StoreFiles.close(this.directory, this.files.layout().log());
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
