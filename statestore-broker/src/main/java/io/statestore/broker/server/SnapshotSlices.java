package io.statestore.broker.server;

import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.statestore.broker.engine.StateSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * Slices of a snapshot. They are encoded within the serial executor, for another thread
 * that writes them. Used by that thread only.
 */
final class SnapshotSlices {

	/** Encoding a slice takes about 0.1 ms, for which requests may wait. */
	private static final int SLICE_BYTES = 16 << 10;

	private final StateSnapshot snapshot;

	private final SerialExecutor serial;

	private final BooleanSupplier abandoned;

	private @Nullable ByteBuffer slice;

	private boolean complete;

	/** Time since which the latest slice is encoded and written. */
	private long busySince = System.nanoTime();

	/**
	 * Creates the slices of a snapshot, which this object does not close.
	 * @param abandoned returns whether to end the snapshot early. Called within the
	 * serial executor
	 */
	SnapshotSlices(StateSnapshot snapshot, SerialExecutor serial, BooleanSupplier abandoned) {
		this.snapshot = snapshot;
		this.serial = serial;
		this.abandoned = abandoned;
	}

	/**
	 * Returns the next slice, or {@code null} if there is none. Waits first for as long
	 * as the previous slice took to encode and to write, so that requests have the
	 * executor and the disk for half of the time.
	 */
	@Nullable ByteBuffer next() {
		LockSupport.parkNanos(System.nanoTime() - this.busySince);
		return this.serial.call(this::encode) ? this.slice : null;
	}

	private void encode() {
		this.busySince = System.nanoTime();
		this.slice = null;
		if (!this.abandoned.getAsBoolean()) {
			this.slice = this.snapshot.next(SLICE_BYTES);
			this.complete = this.slice == null;
		}
	}

	/** Returns whether all slices were returned. */
	boolean isComplete() {
		return this.complete;
	}

}
