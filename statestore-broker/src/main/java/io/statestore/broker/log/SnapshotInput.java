package io.statestore.broker.log;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;

/**
 * A snapshot's content. Reading throws a {@link DamagedLogException} at the first chunk
 * with a wrong checksum, before any byte of the chunk is returned. The end of the stream
 * is only reached if the snapshot is complete, so always read to the end.
 */
public final class SnapshotInput extends InputStream {

	private final Path path;

	private final DiskFile file;

	private final SnapshotHeader header;

	private final long bytes;

	private final ByteBuffer chunk = ByteBuffer.allocate(SnapshotHeader.CHUNK_BYTES).limit(0);

	/** File position of the next chunk. */
	private long position = SnapshotHeader.BYTES;

	private long total;

	private boolean complete;

	private SnapshotInput(Path path, DiskFile file, StoreIdentity identity) throws IOException {
		this.path = path;
		this.file = file;
		this.header = SnapshotHeader.read(path, file, identity);
		this.bytes = file.size();
	}

	static SnapshotInput open(Disk disk, Path path, StoreIdentity identity) throws IOException {
		DiskFile file = disk.read(path);
		try {
			return new SnapshotInput(path, file, identity);
		}
		catch (IOException | RuntimeException ex) {
			file.close();
			throw ex;
		}
	}

	/**
	 * Returns the snapshot's index.
	 * @return index of the last entry whose effect the snapshot contains
	 */
	public long index() {
		return this.header.index();
	}

	/**
	 * Returns when the snapshot began.
	 * @return the time, by the wall clock
	 */
	public Instant time() {
		return this.header.time();
	}

	/**
	 * Returns the size of the file.
	 * @return the size in bytes
	 */
	public long bytes() {
		return this.bytes;
	}

	@Override
	public int read() throws IOException {
		return hasNext() ? this.chunk.get() & 0xff : -1;
	}

	@Override
	public int read(byte[] target, int offset, int length) throws IOException {
		Objects.checkFromIndexSize(offset, length, target.length);
		if (length == 0) {
			return 0;
		}
		if (!hasNext()) {
			return -1;
		}
		int count = Math.min(length, this.chunk.remaining());
		this.chunk.get(target, offset, count);
		return count;
	}

	private boolean hasNext() throws IOException {
		while (!this.chunk.hasRemaining() && !this.complete) {
			readChunk();
		}
		return this.chunk.hasRemaining();
	}

	private void readChunk() throws IOException {
		ByteBuffer prefix = ByteBuffer.allocate(SnapshotHeader.CHUNK_HEADER_BYTES);
		this.chunk.limit(0);
		if (this.file.read(prefix, this.position) < prefix.capacity()) {
			throw damaged("its end is missing");
		}
		int length = prefix.getInt(0);
		if (length < 0 || length > SnapshotHeader.CHUNK_BYTES) {
			throw damaged("the size of a chunk is " + length);
		}
		int stored = (length == 0) ? Long.BYTES : length;
		this.chunk.clear().limit(stored);
		boolean present = this.file.read(this.chunk, this.position + prefix.capacity()) == stored;
		this.chunk.flip();
		if (!present || this.header.checksum(this.position, length, this.chunk) != prefix.getInt(4)) {
			this.chunk.limit(0);
			throw damaged("a checksum is wrong");
		}
		if (length == 0) {
			end(this.chunk.getLong(0), this.position + prefix.capacity() + stored);
		}
		this.position += prefix.capacity() + stored;
		this.total += length;
	}

	private void end(long expectedTotal, long end) throws IOException {
		this.chunk.limit(0);
		if (expectedTotal != this.total) {
			throw damaged("it has " + this.total + " bytes instead of " + expectedTotal);
		}
		if (end != this.file.size()) {
			throw damaged("bytes follow its end");
		}
		this.complete = true;
	}

	private DamagedLogException damaged(String damage) {
		return new DamagedLogException(this.path, this.position, damage);
	}

	@Override
	public void close() throws IOException {
		this.file.close();
	}

}
