package io.statestore.broker.server;

import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

import io.statestore.broker.engine.StateSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * Slices of a snapshot. They are encoded within the serial executor, for another thread
 * that writes them. Used by that thread only.
 */
final class SnapshotSlices {

	/** Encoding a slice takes about a millisecond. */
	private static final int SLICE_BYTES = 128 << 10;

	private final StateSnapshot snapshot;

	private final SerialExecutor serial;

	private final BooleanSupplier abandoned;

	private @Nullable ByteBuffer slice;

	private boolean complete;

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

	/** Returns the next slice, or {@code null} if there is none. */
	@Nullable ByteBuffer next() {
		return this.serial.call(this::encode) ? this.slice : null;
	}

	private void encode() {
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
