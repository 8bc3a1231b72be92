package io.statestore.broker.log;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.broker.storage.Fsync;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends batches to the latest segment. Continues in a new segment after a failed write.
 * One thread appends. Any thread may force and compact.
 */
final class LogWriter {

	private static final Logger logger = LoggerFactory.getLogger(LogWriter.class);

	private final LogOptions options;

	private final SegmentFactory factory;

	private final Disk disk;

	private final StoreLayout layout;

	/** Held to force and to change the active segment. */
	private final ReentrantLock lock = new ReentrantLock();

	private final LogForce force;

	private final Executor background;

	/** Sizes of the earlier segments, by first index. */
	private final NavigableMap<Long, Long> earlier = new ConcurrentSkipListMap<>();

	private volatile Segment active;

	private volatile long lastIndex;

	private volatile long writtenBytes;

	/** Set under the lock. */
	private volatile boolean closed;

	/**
	 * Creates a writer.
	 * @param background forces segments that are complete
	 */
	LogWriter(LogOptions options, Disk disk, StoreLayout layout, Segment active, long lastIndex, Executor background) {
		this.options = options;
		this.disk = disk;
		this.layout = layout;
		this.factory = new SegmentFactory(disk, layout);
		this.active = active;
		this.lastIndex = lastIndex;
		this.force = new LogForce(lastIndex);
		this.background = background;
		this.factory.reserve();
	}

	/** Adds a segment that precedes those known. */
	void addEarlier(long firstIndex, long bytes) {
		this.earlier.put(firstIndex, bytes);
	}

	long lastIndex() {
		return this.lastIndex;
	}

	long forcedIndex() {
		return this.force.forcedIndex();
	}

	long writtenBytes() {
		return this.writtenBytes;
	}

	ForceTimes forceTimes() {
		return this.force.times();
	}

	int segments() {
		return this.earlier.size() + 1;
	}

	/** Returns the size of all segments, in bytes. */
	long bytes() {
		return this.earlier.values().stream().mapToLong(Long::longValue).sum() + this.active.allocated();
	}

	@Nullable LogFailedException failure() {
		return this.force.failure();
	}

	void append(EntryBatch batch, boolean force) {
		requireUsable();
		int bytes = batch.recordBytes();
		makeRoom(bytes);
		Segment segment = this.active;
		try {
			segment.write(batch.seal(segment.format(), this.lastIndex + 1, forcedIndex()));
			if (force && this.options.fsync() == Fsync.ALWAYS) {
				force(this.lastIndex + batch.count());
			}
		}
		catch (IOException ex) {
			throw reject(ex);
		}
		segment.advance(bytes);
		this.writtenBytes += bytes;
		this.lastIndex += batch.count();
	}

	/** Refuses a closed log, whose files may belong to another process. */
	private void requireOpen() {
		if (this.closed) {
			throw new IllegalStateException("The log is closed");
		}
	}

	private void requireUsable() {
		requireOpen();
		this.force.requireUsable();
	}

	/** Makes room for a record, in a new segment if it does not fit. */
	private void makeRoom(int bytes) {
		try {
			if (hasEntries(this.active) && this.active.position() + bytes > this.options.segmentBytes()) {
				rotate();
			}
			if (this.active.allocate(bytes, this.options.segmentBytes())) {
				this.factory.reserve();
			}
		}
		catch (IOException ex) {
			throw fail(ex);
		}
	}

	/**
	 * Returns whether the active segment has entries. Otherwise, its successor has the
	 * same name and replaces it, even if it has the mark of a clean close.
	 */
	private boolean hasEntries(Segment active) {
		return this.lastIndex >= active.header().firstIndex();
	}

	private void rotate() throws ClosedChannelException {
		if (this.options.fsync() == Fsync.ALWAYS) {
			// Otherwise, a failed force could leave a gap before forced batches.
			force();
		}
		this.lock.lock();
		try {
			requireUsable();
			Segment previous = this.active;
			replaceActive(create(nextHeader(previous.position())), () -> markContinuation(previous));
		}
		finally {
			this.lock.unlock();
		}
		if (this.force.hasEarlier()) {
			this.background.execute(this.force::forceEarlier);
		}
	}

	private Segment create(SegmentHeader header) throws ClosedChannelException {
		try {
			return this.factory.create(header);
		}
		catch (ClosedChannelException ex) {
			throw ex;
		}
		catch (IOException ex) {
			throw new DiskFullException("Cannot create " + this.layout.segment(header.firstIndex()) + ": "
					+ ex.getMessage() + ". Free space on the disk; the store continues by itself", ex);
		}
	}

	/**
	 * Marks that the log continues behind a segment, so that the loss of the next one is
	 * found. Without a force: the mark may be lost in a power cut, but not precede the
	 * next segment.
	 */
	private void markContinuation(Segment segment) {
		if (segment.position() + RecordFormat.CONTINUATION_BYTES > segment.allocated()) {
			return;
		}
		try {
			segment.write(segment.format().continuation(this.lastIndex + 1, forcedIndex()));
		}
		catch (IOException ex) {
			logger.debug("Cannot mark that the log continues behind {}", segment.path(), ex);
		}
	}

	private SegmentHeader nextHeader(long previousEnd) {
		return new SegmentHeader(this.active.header().storeId(), this.lastIndex + 1, previousEnd, forcedIndex());
	}

	/**
	 * Replaces the active segment.
	 * @param published called when the name of the next one is on the disk
	 */
	private void replaceActive(Segment next, Runnable published) {
		Segment previous = this.active;
		try {
			this.factory.forceNames();
		}
		catch (IOException ex) {
			LogForce.closeQuietly(next);
			throw fail(ex);
		}
		published.run();
		this.active = next;
		if (!previous.path().equals(next.path())) {
			this.earlier.put(previous.header().firstIndex(), previous.allocated());
		}
		if (forcedIndex() < this.lastIndex) {
			this.force.addEarlier(previous, this.lastIndex);
		}
		else {
			LogForce.closeQuietly(previous);
		}
		this.factory.reserve();
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

	/** Forces the earlier segments, then the active one. */
	private void force(long index) throws IOException {
		do {
			this.force.forceEarlier();
		}
		while (!forceActive(index));
	}

	/**
	 * Forces the active segment.
	 * @return whether everything is on the disk, because no earlier segment needs a force
	 */
	private boolean forceActive(long index) throws IOException {
		this.lock.lock();
		try {
			requireUsable();
			if (this.force.hasEarlier()) {
				return false;
			}
			if (index > forcedIndex()) {
				this.force.forceActive(this.active, index);
			}
			return true;
		}
		finally {
			this.lock.unlock();
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
			if (cause instanceof ClosedChannelException || forcedIndex() < this.lastIndex) {
				// The thread was interrupted, or earlier batches in the file are
				// acknowledged, but not on the disk.
				return fail(cause);
			}
			Segment failed = this.active;
			long previousEnd = hasEntries(failed) ? failed.position() : failed.header().previousEnd();
			replaceActive(this.factory.createFromReserve(nextHeader(previousEnd)), () -> {
			});
			return new LogFailedException("Writing to " + failed.path() + " failed: " + cause.getMessage()
					+ ". The batch was rejected, and the log continues in " + this.active.path() + ". Check the disk",
					cause);
		}
		catch (IOException ex) {
			cause.addSuppressed(ex);
			return fail(cause);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Makes the log unusable. */
	LogFailedException fail(Throwable cause) {
		return this.force.fail(this.active.path(), cause);
	}

	/** Deletes the segments that have no entry behind an index. */
	void compact(long index) throws IOException {
		for (Long first = firstUpTo(index); first != null; first = firstUpTo(index)) {
			// Not under the lock, because deletions take long.
			this.disk.delete(this.layout.segment(first));
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

	/**
	 * Forces everything and closes the files. The mark at the end tells the next start
	 * that the last batch was on the disk.
	 */
	void close(boolean mark) {
		try {
			if (failure() == null) {
				force();
			}
		}
		catch (LogFailedException ex) {
			logger.error("Failed to close the log", ex);
		}
		this.lock.lock();
		try {
			if (mark && failure() == null) {
				mark();
			}
			this.closed = true;
			this.force.close();
			LogForce.closeQuietly(this.active);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void mark() {
		EntryBatch empty = new EntryBatch();
		if (this.active.position() + empty.recordBytes() > this.active.allocated()) {
			return;
		}
		try {
			this.active.write(empty.seal(this.active.format(), this.lastIndex + 1, forcedIndex()));
			this.active.force();
		}
		catch (IOException ex) {
			logger.debug("Cannot mark the end of the log", ex);
		}
	}

}
