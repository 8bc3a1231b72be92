package io.statestore.broker.log;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;

/**
 * Content of a snapshot. Reading throws a {@link DamagedLogException} at the first chunk
 * whose checksum is wrong, before any byte of the chunk is returned. The end of the
 * stream is returned only if the snapshot is complete: always read up to the end.
 */
public final class SnapshotInput extends InputStream {

	/**
	 * Returns the index of the last entry whose effect the snapshot contains.
	 * @return the index
	 */
	public long index() {
		return 0;
	}

	/**
	 * Returns the time the snapshot was begun.
	 * @return the time, by the wall clock
	 */
	public Instant time() {
		return Instant.EPOCH;
	}

	/**
	 * Returns the size of the file.
	 * @return the size in bytes
	 */
	public long bytes() {
		return 0;
	}

	@Override
	public int read() throws IOException {
		return -1;
	}

	@Override
	public int read(byte[] target, int offset, int length) throws IOException {
		return -1;
	}

	@Override
	public void close() throws IOException {
	}

}
