package io.statestore.cluster;

import java.util.concurrent.TimeUnit;

/**
 * Decides when a snapshot is due: when the size of the log after the latest snapshot
 * exceeds a minimum, and also twice the size of that snapshot. Therefore, a start reads a
 * bounded amount, and writing snapshots does not cost more than writing the log.
 * Thread-safe.
 */
final class SnapshotPolicy {

	private static final int FACTOR = 2;

	/** Pause after a failed snapshot. */
	private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final long minLogBytes;

	/** Size of the entries after the latest snapshot, in bytes. */
	private long logBytes;

	/** Value of {@link #logBytes} when the snapshot being written began. */
	private long begunAt;

	private long snapshotBytes;

	private boolean writing;

	private long notBefore = System.nanoTime();

	/**
	 * Creates a policy.
	 * @param minLogBytes minimum size of the log after the latest snapshot, in bytes,
	 * before another snapshot is due
	 */
	SnapshotPolicy(long minLogBytes) {
		this.minLogBytes = minLogBytes;
	}

	/** Called before all entries after the latest snapshot are counted again. */
	synchronized void reset() {
		this.logBytes = 0;
		this.begunAt = 0;
		this.writing = false;
	}

	synchronized void added(int bytes) {
		this.logBytes += bytes;
	}

	/** Called when a snapshot of the state has begun. */
	synchronized void begin() {
		this.begunAt = this.logBytes;
	}

	/** Called when a snapshot was loaded. */
	synchronized void loaded(long bytes) {
		this.snapshotBytes = bytes;
		this.logBytes = 0;
	}

	/** Returns whether the caller must write a snapshot now. */
	synchronized boolean take() {
		if (this.writing || System.nanoTime() - this.notBefore < 0
				|| this.logBytes <= Math.max(this.minLogBytes, FACTOR * this.snapshotBytes)) {
			return false;
		}
		this.writing = true;
		return true;
	}

	/** Called when the snapshot is on the disk. */
	synchronized void written(long bytes) {
		this.snapshotBytes = bytes;
		this.logBytes -= this.begunAt;
		this.begunAt = 0;
	}

	/** Called when a snapshot that was due has ended. */
	synchronized void ended(boolean successful) {
		this.writing = false;
		if (!successful) {
			this.notBefore = System.nanoTime() + RETRY_NANOS;
		}
	}

}
