package io.statestore.broker.log;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.LongConsumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A snapshot that is being written. Writes to a temporary file until {@link #commit()}.
 * Any thread may use it, but only one at a time, even while batches are appended. Writing
 * waits for the disk. Do not interrupt the thread: an interrupt closes the snapshot file
 * and, during {@link #commit()}, the log's file, too.
 */
public final class SnapshotOutput extends OutputStream {

	private static final Logger logger = LoggerFactory.getLogger(SnapshotOutput.class);

	/**
	 * Number of bytes after which the file is forced, so that the final force is short.
	 */
	private static final long FORCED_BYTES = 8L << 20;

	/**
	 * Number of bytes after which the file is forced while requests are waiting for the
	 * disk.
	 */
	private static final long SHARED_BYTES = 256L << 10;

	private final SnapshotHeader header;

	private final Disk disk;

	private final Path path;

	private final DiskFile file;

	private final Runnable beforePublication;

	/** Called with the size of the published snapshot, in bytes. */
	private final LongConsumer afterPublication;

	private final ByteBuffer chunk = ByteBuffer
		.allocateDirect(SnapshotHeader.CHUNK_HEADER_BYTES + SnapshotHeader.CHUNK_BYTES)
		.position(SnapshotHeader.CHUNK_HEADER_BYTES);

	private long position = SnapshotHeader.BYTES;

	private long total;

	private long unforced;

	private boolean shared;

	private boolean finished;

	private boolean published;

	private volatile boolean closed;

	/** Begins a snapshot that does not replace anything. */
	SnapshotOutput(Disk disk, Path path, SnapshotHeader header) throws IOException {
		this(disk, path, header, () -> {
		}, (bytes) -> {
		});
	}

	SnapshotOutput(Disk disk, Path path, SnapshotHeader header, Runnable beforePublication,
			LongConsumer afterPublication) throws IOException {
		this.disk = disk;
		this.path = path;
		this.header = header;
		this.beforePublication = beforePublication;
		this.afterPublication = afterPublication;
		Path temporary = StoreLayout.temporary(path);
		disk.delete(temporary);
		this.file = disk.create(temporary);
		try {
			this.file.write(header.encode(), 0);
		}
		catch (IOException | RuntimeException | Error ex) {
			close();
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
	 * Sets whether to force small parts, so that requests wait less for the disk, or
	 * large parts, which is faster and the default.
	 * @param shared whether requests are waiting for the disk
	 */
	public void shareDisk(boolean shared) {
		this.shared = shared;
	}

	@Override
	public void write(int value) throws IOException {
		write(ByteBuffer.wrap(new byte[] { (byte) value }));
	}

	@Override
	public void write(byte[] bytes, int offset, int length) throws IOException {
		write(ByteBuffer.wrap(bytes, offset, length));
	}

	/**
	 * Writes the remaining bytes of a buffer.
	 * @param bytes the buffer, which is consumed
	 * @throws IOException if writing fails, for example because the disk is full
	 */
	public void write(ByteBuffer bytes) throws IOException {
		if (this.closed || this.finished) {
			throw new IOException("The snapshot is " + (this.closed ? "closed" : "finished"));
		}
		while (bytes.hasRemaining()) {
			int count = Math.min(bytes.remaining(), this.chunk.remaining());
			this.chunk.put(bytes.slice(bytes.position(), count));
			bytes.position(bytes.position() + count);
			if (!this.chunk.hasRemaining()) {
				writeChunk();
			}
		}
	}

	private void writeChunk() throws IOException {
		int length = this.chunk.position() - SnapshotHeader.CHUNK_HEADER_BYTES;
		this.total += length;
		writeChunk(length);
	}

	/** Writes the content of the buffer as a chunk. */
	private void writeChunk(int length) throws IOException {
		this.chunk.flip();
		ByteBuffer content = this.chunk.duplicate().position(SnapshotHeader.CHUNK_HEADER_BYTES);
		this.chunk.putInt(0, length).putInt(4, this.header.checksum(this.position, length, content));
		int bytes = this.chunk.limit();
		this.file.write(this.chunk, this.position);
		this.chunk.clear().position(SnapshotHeader.CHUNK_HEADER_BYTES);
		this.position += bytes;
		this.unforced += bytes;
		if (this.unforced >= (this.shared ? SHARED_BYTES : FORCED_BYTES)) {
			this.file.force();
			this.unforced = 0;
		}
	}

	/**
	 * Forces the snapshot to disk. {@link #commit()} needs no more space afterward.
	 * Nothing can be written after this call.
	 * @throws IOException if writing fails, for example because the disk is full
	 */
	public void finish() throws IOException {
		if (this.closed) {
			throw new IOException("The snapshot is closed");
		}
		if (this.finished) {
			return;
		}
		if (this.chunk.position() > SnapshotHeader.CHUNK_HEADER_BYTES) {
			writeChunk();
		}
		this.chunk.putLong(this.total);
		writeChunk(0);
		this.file.force();
		this.finished = true;
	}

	/**
	 * Makes this the latest snapshot: forces it to disk, then deletes earlier snapshots
	 * and the segments it replaces. A segment is kept if it has an entry after the
	 * snapshot.
	 * @throws IOException if the snapshot cannot be written. The log is unchanged
	 * @throws LogFailedException if the log cannot be forced. The log has failed
	 * @throws IllegalStateException if the log is closed
	 */
	public void commit() throws IOException {
		finish();
		this.beforePublication.run();
		this.disk.rename(StoreLayout.temporary(this.path), this.path);
		this.published = true;
		Path directory = this.path.getParent();
		if (directory != null) {
			this.disk.forceDirectory(directory);
		}
		this.afterPublication.accept(this.position);
		close();
	}

	/** Discards the snapshot unless it was committed. */
	@Override
	public void close() {
		if (this.closed) {
			return;
		}
		this.closed = true;
		try (this.file) {
			if (!this.published) {
				this.disk.delete(StoreLayout.temporary(this.path));
			}
		}
		catch (IOException ex) {
			logger.debug("Cannot close {}", this.path, ex);
		}
	}

	boolean isClosed() {
		return this.closed;
	}

}
