package io.statestore.broker.log;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.broker.storage.Fsync;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends batches to the latest segment, and decides what a failed write means. One
 * thread appends. Any thread may force and compact.
 */
final class LogWriter {

	private static final Logger logger = LoggerFactory.getLogger(LogWriter.class);

	private final LogOptions options;

	private final SegmentFactory factory;

	private final Disk disk;

	private final StoreLayout layout;

	/**
	 * Held to force and to change the active segment. The system reports a failed force
	 * only once, so the forces of several threads must not overlap.
	 */
	private final ReentrantLock lock = new ReentrantLock();

	private final ForceTimes forceTimes = new ForceTimes();

	/** Sizes of the earlier segments, by first index. */
	private final NavigableMap<Long, Long> earlier = new ConcurrentSkipListMap<>();

	/** Earlier segments that are not on the disk yet. Guarded by the lock. */
	private final List<Segment> unforced = new ArrayList<>();

	private volatile Segment active;

	private volatile long lastIndex;

	private volatile long forcedIndex;

	private volatile long writtenBytes;

	private volatile @Nullable LogFailedException failure;

	/** Set under the lock. */
	private volatile boolean closed;

	LogWriter(LogOptions options, Disk disk, StoreLayout layout, Segment active, long lastIndex) {
		this.options = options;
		this.disk = disk;
		this.layout = layout;
		this.factory = new SegmentFactory(disk, layout);
		this.active = active;
		this.lastIndex = lastIndex;
		this.forcedIndex = lastIndex;
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
		return this.forcedIndex;
	}

	long writtenBytes() {
		return this.writtenBytes;
	}

	ForceTimes forceTimes() {
		return this.forceTimes;
	}

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

	void append(EntryBatch batch, boolean force) {
		requireUsable();
		int bytes = batch.recordBytes();
		makeRoom(bytes);
		Segment segment = this.active;
		try {
			segment.write(batch.seal(segment.format(), this.lastIndex + 1, this.forcedIndex));
			if (force && this.options.fsync() == Fsync.ALWAYS) {
				forceActive();
				this.forcedIndex = this.lastIndex + batch.count();
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
		LogFailedException failure = this.failure;
		if (failure != null) {
			throw new LogFailedException("The log has failed and accepts no more batches. Start the store again",
					failure);
		}
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
		this.lock.lock();
		try {
			if (this.options.fsync() == Fsync.ALWAYS) {
				// Otherwise, a failed force could leave a gap before forced batches.
				force();
			}
			replaceActive(create(nextHeader(this.active.position())));
		}
		finally {
			this.lock.unlock();
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

	private SegmentHeader nextHeader(long previousEnd) {
		return new SegmentHeader(this.active.header().storeId(), this.lastIndex + 1, previousEnd, this.forcedIndex);
	}

	private void replaceActive(Segment next) {
		Segment previous = this.active;
		try {
			this.factory.forceNames();
		}
		catch (IOException ex) {
			closeQuietly(next);
			throw fail(ex);
		}
		this.active = next;
		if (!previous.path().equals(next.path())) {
			this.earlier.put(previous.header().firstIndex(), previous.allocated());
		}
		if (this.forcedIndex < this.lastIndex) {
			this.unforced.add(previous);
		}
		else {
			closeQuietly(previous);
		}
		this.factory.reserve();
	}

	/** Forces everything that was appended before the call. */
	void force() {
		this.lock.lock();
		try {
			requireUsable();
			long index = this.lastIndex;
			if (index == this.forcedIndex) {
				return;
			}
			while (!this.unforced.isEmpty()) {
				Segment segment = this.unforced.get(0);
				segment.force();
				closeQuietly(segment);
				this.unforced.remove(0);
			}
			forceActive();
			this.forcedIndex = Math.max(this.forcedIndex, index);
		}
		catch (IOException ex) {
			throw fail(ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void forceActive() throws IOException {
		this.lock.lock();
		try {
			requireUsable();
			long start = System.nanoTime();
			this.active.force();
			this.forceTimes.add(System.nanoTime() - start);
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
			if (cause instanceof ClosedChannelException || this.forcedIndex < this.lastIndex) {
				// The thread was interrupted, or earlier batches in the file are
				// acknowledged, but not on the disk.
				return fail(cause);
			}
			Segment failed = this.active;
			long previousEnd = hasEntries(failed) ? failed.position() : failed.header().previousEnd();
			replaceActive(this.factory.createFromReserve(nextHeader(previousEnd)));
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

	private LogFailedException fail(IOException cause) {
		LogFailedException failure = new LogFailedException("Writing to " + this.active.path() + " failed: " + cause
				+ ". The log accepts no more batches. Check the disk, then start the store again", cause);
		this.failure = failure;
		return failure;
	}

	/** Deletes the segments that have no entry behind an index. */
	void compact(long index) throws IOException {
		this.lock.lock();
		try {
			requireOpen();
			while (!this.earlier.isEmpty()) {
				long first = this.earlier.firstKey();
				Long following = this.earlier.higherKey(first);
				if (((following != null) ? following : this.active.header().firstIndex()) > index + 1) {
					return;
				}
				this.disk.delete(this.layout.segment(first));
				this.earlier.remove(first);
			}
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
		this.lock.lock();
		try {
			if (this.failure == null) {
				force();
				if (mark) {
					mark();
				}
			}
		}
		catch (LogFailedException ex) {
			logger.error("Failed to close the log", ex);
		}
		finally {
			this.closed = true;
			this.unforced.forEach(LogWriter::closeQuietly);
			closeQuietly(this.active);
			this.lock.unlock();
		}
	}

	private void mark() {
		EntryBatch empty = new EntryBatch();
		if (this.active.position() + empty.recordBytes() > this.active.allocated()) {
			return;
		}
		try {
			this.active.write(empty.seal(this.active.format(), this.lastIndex + 1, this.forcedIndex));
			this.active.force();
		}
		catch (IOException ex) {
			logger.debug("Cannot mark the end of the log", ex);
		}
	}

	private static void closeQuietly(Segment segment) {
		try {
			segment.close();
		}
		catch (IOException ex) {
			logger.debug("Cannot close {}", segment.path(), ex);
		}
	}

}
