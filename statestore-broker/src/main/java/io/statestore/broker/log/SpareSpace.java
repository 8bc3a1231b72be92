package io.statestore.broker.log;

import java.io.IOException;
import java.time.Duration;

/**
 * Space of the active segment that is allocated, but not used yet. Appending into it
 * cannot fail for lack of disk space. The thread that appends uses this object.
 */
final class SpareSpace {

	/** Time until a full segment tries again to continue in a new one. */
	private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private final LogSegments segments;

	private final long segmentBytes;

	private final int bytes;

	/** Time of the latest attempt to continue in a new segment that failed. */
	private long failed = System.nanoTime() - RETRY_NANOS;

	/**
	 * Creates the space of a log.
	 * @param bytes space to keep allocated, in bytes; 0 for none
	 */
	SpareSpace(LogSegments segments, long segmentBytes, int bytes) {
		this.segments = segments;
		this.segmentBytes = segmentBytes;
		this.bytes = bytes;
	}

	/** Returns the space to keep allocated. */
	int bytes() {
		return this.bytes;
	}

	/** Returns the space that is allocated. */
	long allocated() {
		Segment active = this.segments.active();
		return active.allocated() - active.position();
	}

	/** Returns whether to continue in a new segment, as a record does not fit. */
	boolean mayRotate(int record) {
		return record > allocated() || System.nanoTime() - this.failed >= RETRY_NANOS;
	}

	/**
	 * Continues in the full segment after all, if a record fits into its spare space.
	 * @throws DiskFullException if it does not
	 */
	void rotationFailed(int record, DiskFullException cause) {
		if (record > allocated()) {
			throw cause;
		}
		this.failed = System.nanoTime();
	}

	/** Allocates as much as is configured, if less than half of it is left. */
	void extend() throws IOException {
		if (allocated() >= this.bytes / 2) {
			return;
		}
		try {
			this.segments.allocate(this.bytes, this.segmentBytes);
		}
		catch (DiskFullException ex) {
			// The caller asks for the space that is left.
		}
	}

}
