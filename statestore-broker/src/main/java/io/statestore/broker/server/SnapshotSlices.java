package io.statestore.broker.server;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;

import io.statestore.broker.engine.StateSnapshot;
import io.statestore.broker.log.SnapshotOutput;
import org.jspecify.annotations.Nullable;

/**
 * Slices of a snapshot. They are encoded within the serial executor, for another thread
 * that writes them. Used by that thread only.
 */
final class SnapshotSlices {

	/** Encoding a slice takes about 0.1 ms, for which requests may wait. */
	private static final int SLICE_BYTES = 16 << 10;

	/** The disk, or this process, may have stopped for hours. */
	private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final StateSnapshot snapshot;

	private final SerialExecutor serial;

	private final BooleanSupplier abandoned;

	private final LongPredicate late;

	private @Nullable ByteBuffer slice;

	private boolean complete;

	/** Total size of the slices. */
	private long bytes;

	private boolean hurried;

	/** Time since which the latest slice is encoded and written. */
	private long busySince = System.nanoTime();

	/**
	 * Creates the slices of a snapshot, which this object does not close.
	 * @param abandoned returns whether to end the snapshot early. Called within the
	 * serial executor
	 * @param late returns whether to go on without pauses, given the number of bytes so
	 * far. Called within the serial executor
	 */
	SnapshotSlices(StateSnapshot snapshot, SerialExecutor serial, BooleanSupplier abandoned, LongPredicate late) {
		this.snapshot = snapshot;
		this.serial = serial;
		this.abandoned = abandoned;
		this.late = late;
	}

	/**
	 * Returns the next slice, or {@code null} if there is none. Waits first for as long
	 * as the previous slice took to encode and to write, so that requests have the
	 * executor and the disk for half of the time, unless the snapshot is late.
	 */
	private @Nullable ByteBuffer next() {
		if (!this.hurried) {
			LockSupport.parkNanos(Math.min(System.nanoTime() - this.busySince, MAX_PAUSE_NANOS));
		}
		return this.serial.call(this::encode) ? this.slice : null;
	}

	private void encode() {
		this.busySince = System.nanoTime();
		this.slice = null;
		if (!this.abandoned.getAsBoolean()) {
			this.slice = this.snapshot.next(SLICE_BYTES);
			this.complete = this.slice == null;
			this.bytes += (this.slice != null) ? this.slice.remaining() : 0;
			this.hurried = this.late.test(this.bytes);
		}
	}

	/**
	 * Writes all slices. Shares the disk with requests, unless the snapshot is late.
	 * @return whether none is missing, because the snapshot was abandoned
	 */
	boolean writeTo(OutputStream output) throws IOException {
		for (ByteBuffer slice = next(); slice != null; slice = next()) {
			if (output instanceof SnapshotOutput file) {
				file.shareDisk(!this.hurried);
			}
			output.write(slice.array(), slice.arrayOffset() + slice.position(), slice.remaining());
		}
		return this.complete;
	}

}
