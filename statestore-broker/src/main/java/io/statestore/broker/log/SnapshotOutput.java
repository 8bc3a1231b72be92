package io.statestore.broker.log;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Snapshot that is being written. Writes into a temporary file until {@link #commit()}.
 * Any thread may use it, one at a time, also while batches are appended. All methods
 * except {@link #index()} wait for the disk.
 */
public final class SnapshotOutput extends OutputStream {

	/**
	 * Returns the index of the last entry whose effect the snapshot contains.
	 * @return the index
	 */
	public long index() {
		return 0;
	}

	@Override
	public void write(int value) throws IOException {
	}

	@Override
	public void write(byte[] bytes, int offset, int length) throws IOException {
	}

	/**
	 * Writes the remaining bytes of a buffer.
	 * @param bytes the bytes
	 * @throws IOException if writing fails, for example because the disk is full
	 */
	public void write(ByteBuffer bytes) throws IOException {
	}

	/**
	 * Makes this the latest snapshot: forces it to the disk, then deletes earlier
	 * snapshots and the segments it replaces. A segment is kept if it has an entry behind
	 * the snapshot.
	 * @throws IOException if the snapshot cannot be written. The log and the earlier
	 * snapshot are unchanged
	 * @throws LogFailedException if the log cannot be forced. The log has failed
	 */
	public void commit() throws IOException {
	}

	/** Discards the snapshot unless it was committed. */
	@Override
	public void close() {
	}

}
