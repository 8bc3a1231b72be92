package io.statestore.broker.log;

import java.io.IOException;

/**
 * Forces segments to the disk, and remembers up to which entry. The system reports a
 * failed force only once. Forces of one file therefore do not overlap, and no file is
 * forced after a failure. Thread-safe.
 */
final class LogForce {

	private final LogState state;

	private final LogSegments segments;

	private final ForceTimes times = new ForceTimes();

	private volatile long forcedIndex;

	LogForce(LogSegments segments, long forcedIndex) {
		this.state = segments.state();
		this.segments = segments;
		confirm(forcedIndex, segments.active(), 0);
	}

	ForceTimes times() {
		return this.times;
	}

	/** Returns the index of the last entry known to be on the disk. */
	long forcedIndex() {
		return this.forcedIndex;
	}

	/**
	 * Forces the active segment. All earlier ones are on the disk.
	 * @param index index of the last entry that was written
	 * @throws IOException if forcing fails
	 * @throws LogFailedException if the log has failed
	 */
	void force(long index) throws IOException {
		this.segments.lock().lock();
		try {
			this.state.requireUsable();
			if (index > forcedIndex()) {
				long start = System.nanoTime();
				Segment active = this.segments.active();
				long bytes = active.extended();
				active.force();
				this.times.add(System.nanoTime() - start);
				confirm(index, active, bytes);
			}
		}
		finally {
			this.segments.lock().unlock();
		}
	}

	private void confirm(long index, Segment segment, long bytes) {
		this.forcedIndex = index;
		this.segments.forced().write(new ForcedEnd(index, segment.header().firstIndex(), bytes));
	}

}
