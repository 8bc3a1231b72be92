package io.statestore.broker.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forces segments to the disk, and remembers up to which entry. The system reports a
 * failed force only once. Forces of one file therefore do not overlap, and no file is
 * forced after a failure.
 */
final class LogForce {

	private static final Logger logger = LoggerFactory.getLogger(LogForce.class);

	private final ForceTimes times = new ForceTimes();

	/** Segments that are complete, but not on the disk yet, in the order of the log. */
	private final Queue<Complete> earlier = new ConcurrentLinkedQueue<>();

	/** Held to force earlier segments, beside the active one. */
	private final ReentrantLock earlierLock = new ReentrantLock();

	private final AtomicLong forcedIndex;

	private volatile @Nullable LogFailedException failure;

	LogForce(long forcedIndex) {
		this.forcedIndex = new AtomicLong(forcedIndex);
	}

	ForceTimes times() {
		return this.times;
	}

	/** Returns the index of the last entry known to be on the disk. */
	long forcedIndex() {
		return this.forcedIndex.get();
	}

	@Nullable LogFailedException failure() {
		return this.failure;
	}

	void requireUsable() {
		LogFailedException failure = this.failure;
		if (failure != null) {
			throw new LogFailedException("The log has failed and accepts no more batches. Start the store again",
					failure);
		}
	}

	/** Makes the log unusable. */
	LogFailedException fail(Path file, Throwable cause) {
		LogFailedException failure = new LogFailedException("Writing to " + file + " failed: " + cause
				+ ". The log accepts no more batches. Check the disk, then start the store again", cause);
		this.failure = failure;
		return failure;
	}

	/**
	 * Forces the active segment. The caller holds the lock of that segment, and there are
	 * no earlier ones to force.
	 * @param index index of the last entry in the segment
	 */
	void forceActive(Segment active, long index) throws IOException {
		requireUsable();
		long start = System.nanoTime();
		active.force();
		this.times.add(System.nanoTime() - start);
		confirm(index);
	}

	/** Adds a segment to force. */
	void addEarlier(Segment segment, long lastIndex) {
		this.earlier.add(new Complete(segment, lastIndex));
	}

	boolean hasEarlier() {
		return !this.earlier.isEmpty();
	}

	/**
	 * Forces the earlier segments. Does not wait for the active one.
	 * @throws LogFailedException if the log has failed, or fails now
	 */
	void forceEarlier() {
		this.earlierLock.lock();
		try {
			requireUsable();
			for (Complete next = this.earlier.peek(); next != null; next = this.earlier.peek()) {
				force(next);
				this.earlier.remove();
			}
		}
		finally {
			this.earlierLock.unlock();
		}
	}

	private void force(Complete complete) {
		Segment segment = complete.segment();
		try {
			segment.force();
		}
		catch (IOException ex) {
			throw fail(segment.path(), ex);
		}
		confirm(complete.lastIndex());
		closeQuietly(segment);
	}

	private void confirm(long index) {
		this.forcedIndex.accumulateAndGet(index, Math::max);
	}

	/** Closes the files of earlier segments. */
	void close() {
		this.earlierLock.lock();
		try {
			this.earlier.forEach((complete) -> closeQuietly(complete.segment()));
			this.earlier.clear();
		}
		finally {
			this.earlierLock.unlock();
		}
	}

	static void closeQuietly(Segment segment) {
		try {
			segment.close();
		}
		catch (IOException ex) {
			logger.debug("Cannot close {}", segment.path(), ex);
		}
	}

	/**
	 * A segment to which nothing is added.
	 *
	 * @param segment the segment
	 * @param lastIndex index of the last entry
	 */
	private record Complete(Segment segment, long lastIndex) {
	}

}
