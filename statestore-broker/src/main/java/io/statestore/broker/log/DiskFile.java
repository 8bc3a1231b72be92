package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file on a {@link Disk}. */
interface DiskFile extends Closeable {

	/**
	 * Writes all remaining bytes of a buffer. If this fails, some of them may have been
	 * written.
	 */
	void write(ByteBuffer bytes, long position) throws IOException;

	/**
	 * Reads until the buffer is full or the file ends.
	 * @return the number of bytes read, 0 at the end
	 */
	int read(ByteBuffer target, long position) throws IOException;

	/** Forces the content and the size to disk. */
	void force() throws IOException;

	long size() throws IOException;

}
