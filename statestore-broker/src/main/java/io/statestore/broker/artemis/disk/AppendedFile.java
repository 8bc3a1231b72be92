package io.statestore.broker.artemis.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * File to which bytes are appended. Zeros follow its end, so that bytes can be appended
 * for some time while the disk is full. Not thread-safe, except for {@link #force()}.
 */
final class AppendedFile implements Closeable {

	/** Minimum number of zeros behind the end, if the disk is not full. */
	static final int AHEAD = 256 * 1024;

	/** Maximum number of zeros behind the end. */
	static final int MAX_AHEAD = 2 * AHEAD;

	private final FileChannel channel;

	/** Position behind the last byte that was appended. */
	private long end;

	/** Size of the file with the zeros behind its end. */
	private long size;

	/**
	 * Creates an object for an open file.
	 * @param channel the file
	 * @param end position behind its last byte. Zeros follow
	 * @param size size of the file
	 */
	AppendedFile(FileChannel channel, long end, long size) {
		this.channel = channel;
		this.end = end;
		this.size = size;
	}

	/** Returns the position behind the last byte that was appended. */
	long end() {
		return this.end;
	}

	/**
	 * Appends bytes.
	 * @throws IOException if the disk fails or is full. Nothing was appended
	 */
	void append(ByteBuffer bytes) throws IOException {
		int length = bytes.remaining();
		allocate(this.end + length);
		try {
			write(bytes, this.end);
		}
		catch (IOException ex) {
			// The rest could be zeros, which are there already.
			cutOff();
			throw ex;
		}
		this.end += length;
		this.size = Math.max(this.size, this.end);
	}

	private void allocate(long needed) {
		if (this.size - needed >= AHEAD) {
			return;
		}
		long wanted = needed + MAX_AHEAD;
		try {
			write(ByteBuffer.allocate((int) (wanted - this.size)), this.size);
			this.size = wanted;
		}
		catch (IOException ex) {
			// The bytes may still fit. If not, the attempt to write them fails.
		}
	}

	private void write(ByteBuffer bytes, long position) throws IOException {
		long next = position;
		while (bytes.hasRemaining()) {
			next += this.channel.write(bytes, next);
		}
	}

	/**
	 * Removes everything behind the end.
	 * @throws IOException if the disk fails
	 */
	void cutOff() throws IOException {
		this.channel.truncate(this.end);
		this.size = this.end;
	}

	/**
	 * Waits until the file is on the disk.
	 * @throws IOException if the disk fails
	 */
	void force() throws IOException {
		this.channel.force(false);
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

}
