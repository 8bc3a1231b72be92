package io.statestore.broker.log;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Forces segments to the disk, and remembers up to which entry. The system reports a
 * failed force only once. Forces of one file therefore do not overlap, and no file is
 * forced after a failure. Thread-safe.
 */
final class LogForce {

	private final LogState state;

	private final LogSegments segments;

	private final ForceTimes times = new ForceTimes();

	/** Segments that are complete, but not on the disk yet, in the order of the log. */
	private final Queue<Complete> earlier = new ConcurrentLinkedQueue<>();

	/** Held to force earlier segments, beside the active one. */
	private final ReentrantLock earlierLock = new ReentrantLock();

	private final AtomicLong forcedIndex;

	LogForce(LogSegments segments, long forcedIndex) {
		this.state = segments.state();
		this.segments = segments;
		this.forcedIndex = new AtomicLong(forcedIndex);
		confirm(forcedIndex, segments.active(), 0);
	}

	ForceTimes times() {
		return this.times;
	}

	/** Returns the index of the last entry known to be on the disk. */
	long forcedIndex() {
		return this.forcedIndex.get();
	}

	/**
	 * Forces the earlier segments, then the active one.
	 * @param index index of the last entry that was written
	 * @throws IOException if forcing the active segment fails
	 * @throws LogFailedException if the log has failed, or fails now
	 */
	void force(long index) throws IOException {
		do {
			forceEarlier();
		}
		while (!forceActive(index));
	}

	/**
	 * Forces the active segment.
	 * @return whether everything is on the disk, because no earlier segment needs a force
	 */
	private boolean forceActive(long index) throws IOException {
		this.segments.lock().lock();
		try {
			this.state.requireUsable();
			if (hasEarlier()) {
				return false;
			}
			if (index > forcedIndex()) {
				long start = System.nanoTime();
				Segment active = this.segments.active();
				long bytes = active.extended();
				active.force();
				this.times.add(System.nanoTime() - start);
				confirm(index, active, bytes);
			}
			return true;
		}
		finally {
			this.segments.lock().unlock();
		}
	}

	/**
	 * Takes over a segment to which nothing is added, and closes it when it is on the
	 * disk.
	 * @param lastIndex index of the last entry
	 */
	void complete(Segment segment, long lastIndex) {
		if (forcedIndex() < lastIndex) {
			this.earlier.add(new Complete(segment, lastIndex));
		}
		else {
			segment.closeQuietly();
		}
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
			this.state.requireUsable();
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
		long bytes = segment.extended();
		try {
			segment.force();
		}
		catch (IOException ex) {
			throw this.state.fail(segment.path(), ex);
		}
		confirm(complete.lastIndex(), segment, bytes);
		segment.closeQuietly();
	}

	private void confirm(long index, Segment segment, long bytes) {
		this.forcedIndex.accumulateAndGet(index, Math::max);
		this.segments.forced().write(new ForcedEnd(index, segment.header().firstIndex(), bytes));
	}

	/** Closes the files of earlier segments. */
	void close() {
		this.earlierLock.lock();
		try {
			this.earlier.forEach((complete) -> complete.segment().closeQuietly());
			this.earlier.clear();
		}
		finally {
			this.earlierLock.unlock();
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
