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
 * The slices of a snapshot, which are encoded within the serial executor and written by
 * another thread. Used only by that thread.
 */
final class SnapshotSlices {

	/**
	 * Size of a slice, in bytes. Requests may have to wait while a slice is encoded,
	 * which takes about 0.1 ms.
	 */
	private static final int SLICE_BYTES = 16 << 10;

	/**
	 * Maximum pause, because the disk or this process may have been suspended for hours.
	 */
	private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final StateSnapshot snapshot;

	private final SerialExecutor serial;

	private final BooleanSupplier abandoned;

	private final LongPredicate late;

	private @Nullable ByteBuffer slice;

	private boolean complete;

	/** Total size of the slices so far, in bytes. */
	private long bytes;

	private boolean hurried;

	/** When encoding the latest slice began. */
	private long busySince = System.nanoTime();

	/**
	 * Creates the slices of a snapshot; this object does not close the snapshot.
	 * @param abandoned returns whether to end the snapshot early. Called within the
	 * serial executor
	 * @param late returns whether to continue without pauses, given the number of bytes
	 * so far. Called within the serial executor
	 */
	SnapshotSlices(StateSnapshot snapshot, SerialExecutor serial, BooleanSupplier abandoned, LongPredicate late) {
		this.snapshot = snapshot;
		this.serial = serial;
		this.abandoned = abandoned;
		this.late = late;
	}

	/**
	 * Returns the next slice, or {@code null} if there is none. Unless the snapshot is
	 * late, first waits for as long as the previous slice took to encode and write.
	 * Requests therefore have the executor and the disk to themselves half of the time.
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
	 * Writes all slices. Unless the snapshot is late, shares the disk with requests.
	 * @return {@code false} if the snapshot was abandoned, so that slices are missing
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
