package io.statestore.broker.log;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Segments of a log: the active one, to which batches are appended, and the earlier ones.
 */
final class LogSegments {

	private final LogState state = new LogState();

	private final Disk disk;

	private final StoreLayout layout;

	private final SegmentFactory factory;

	private final ReentrantLock lock = new ReentrantLock();

	/** Sizes of the earlier segments, which are on the disk, by first index. */
	private final NavigableMap<Long, Long> earlier = new ConcurrentSkipListMap<>();

	private volatile Segment active;

	private final ForcedFile forced;

	private volatile long forcedIndex;

	private volatile ForceTimes forceTimes = ForceTimes.NONE;

	/**
	 * Creates the segments of a log.
	 * @param earlier sizes of the earlier segments, by first index
	 * @param lastIndex index of the last entry, which is on the disk
	 */
	LogSegments(Disk disk, StoreLayout layout, Map<Long, Long> earlier, Segment active, ForcedFile forced,
			long lastIndex) throws IOException {
		this.forced = forced;
		this.disk = disk;
		this.layout = layout;
		this.factory = new SegmentFactory(disk, layout);
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
			this.state.requireUsable();
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

	/** Returns whether the log can be used. */
	LogState state() {
		return this.state;
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
	 * Creates the successor of the active segment.
	 * @param bytes space for records, in bytes
	 * @throws DiskFullException if it cannot be created now
	 * @throws IOException if the log cannot be used any longer
	 */
	Segment create(SegmentHeader header, int bytes) throws IOException {
		Path path = this.layout.segment(header.firstIndex());
		try {
			return this.factory.create(header, bytes);
		}
		catch (ClosedChannelException ex) {
			throw ex;
		}
		catch (IOException ex) {
			if (this.disk.exists(path)) {
				// The rename took effect, so the log can only continue there.
				throw ex;
			}
			throw StoreErrors.cannotGrow("create", path.toString(), ex);
		}
	}

	/**
	 * Makes a segment the active one. It replaces the previous one if that has the same
	 * name.
	 * @return the previous one, which is still open
	 */
	Segment activate(Segment next) throws IOException {
		Segment previous = this.active;
		try {
			this.factory.forceNames();
		}
		catch (IOException ex) {
			next.closeQuietly();
			throw ex;
		}
		this.active = next;
		if (!previous.path().equals(next.path())) {
			this.earlier.put(previous.header().firstIndex(), previous.allocated());
		}
		return previous;
	}

	/** Closes the files. Call this under the {@linkplain #lock() lock}. */
	void close() {
		this.active.closeQuietly();
		this.forced.close();
		this.factory.close();
	}

	/**
	 * Removes the segments that have no entry behind an index.
	 * @param history keeps them, {@code null} to delete them
	 */
	void compact(long index, @Nullable LogHistory history) throws IOException {
		for (Long first = firstUpTo(index); first != null; first = firstUpTo(index)) {
			// Not under the lock, because deletions take long.
			Path segment = this.layout.segment(first);
			if (history != null) {
				history.retire(segment);
			}
			else {
				this.disk.delete(segment);
			}
			this.earlier.remove(first);
		}
	}

	/** Returns the first segment, or {@code null} if it has entries behind an index. */
	private @Nullable Long firstUpTo(long index) {
		this.lock.lock();
		try {
			this.state.requireOpen();
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
