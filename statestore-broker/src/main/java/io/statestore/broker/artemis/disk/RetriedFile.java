package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;

import io.netty.buffer.ByteBuf;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ActiveMQExceptionType;
import org.apache.activemq.artemis.core.io.IOCallback;
import org.apache.activemq.artemis.core.io.SequentialFile;
import org.apache.activemq.artemis.core.io.buffer.TimedBufferObserver;
import org.apache.activemq.artemis.core.io.nio.NIOSequentialFile;
import org.jspecify.annotations.Nullable;

/**
 * File of a journal whose creation and writes are repeated until they succeed. Artemis
 * reports a failed write, but continues behind it, so that the journal lacks a record.
 * <p>
 * Headers and compacted files are always forced: without them, the broker would lose old
 * messages, or not start.
 */
final class RetriedFile extends NIOSequentialFile {

	private final JournalFiles files;

	RetriedFile(JournalFiles files, String name) {
		super(files, files.getDirectory(), name, files.getMaxIO());
		this.files = files;
	}

	@Override
	public SequentialFile cloneFile() {
		return new RetriedFile(this.files, getFileName());
	}

	/** Called by a superclass constructor. */
	@Override
	protected TimedBufferObserver createTimedBufferObserver() {
		return new CollectedRecords();
	}

	@Override
	public void open(int maxIo, boolean useExecutor) throws IOException {
		if (!exists()) {
			this.files.create(getFile().toPath());
		}
		this.files.retry().run(() -> {
			this.rfile = new RandomAccessFile(getFile(), "rw");
			this.channel = this.rfile.getChannel();
			this.fileSize = this.channel.size();
		});
	}

	@Override
	public void fill(int size) throws IOException {
		if (size() != size) {
			super.fill(size);
		}
		position(0);
	}

	@Override
	public void writeDirect(ByteBuffer bytes, boolean sync, IOCallback callback) {
		try {
			write(bytes, sync);
			callback.done();
		}
		catch (IOException ex) {
			callback.onError(ActiveMQExceptionType.IO_ERROR.getCode(), ex.toString());
		}
		finally {
			this.factory.releaseBuffer(bytes);
		}
	}

	@Override
	public void writeDirect(ByteBuffer bytes, boolean sync) throws IOException {
		blockingWriteDirect(bytes, sync, true);
	}

	@Override
	public void blockingWriteDirect(ByteBuffer bytes, boolean sync, boolean releases) throws IOException {
		try {
			write(bytes, sync);
		}
		catch (IOException ex) {
			if (!this.files.retry().isStopping()) {
				throw ex;
			}
			// Artemis would wait for a file without a header.
		}
		finally {
			if (releases) {
				this.factory.releaseBuffer(bytes);
			}
		}
	}

	private synchronized void write(ByteBuffer bytes, boolean sync) throws IOException {
		FileChannel open = this.channel;
		if (open == null) {
			throw new IOException("Closed: " + getFile());
		}
		this.position.addAndGet(bytes.limit());
		try {
			this.files.retry().run(() -> {
				while (bytes.hasRemaining()) {
					open.write(bytes);
				}
			});
		}
		catch (IOException ex) {
			this.factory.onIOError(ex, "Failed to write", this);
			throw ex;
		}
		if (sync) {
			super.sync();
		}
	}

	/** Waits until the file is on the disk, if records are forced. */
	@Override
	public void sync() throws IOException {
		if (this.files.forces()) {
			super.sync();
		}
	}

	@Override
	public synchronized void close(boolean waitsForSync, boolean waitsForWrites)
			throws IOException, InterruptedException, ActiveMQException {
		super.close(waitsForSync && this.files.forces(), waitsForWrites);
	}

	/** Receives records that were collected. */
	private final class CollectedRecords extends LocalBufferObserver {

		@Override
		public void flushBuffer(ByteBuf records, boolean sync, @Nullable List<IOCallback> callbacks) {
			try {
				if (records.isReadable()) {
					write(records.nioBuffer(), sync);
				}
				IOCallback.done(callbacks);
			}
			catch (IOException ex) {
				if (callbacks != null) {
					IOCallback.onError(callbacks, ActiveMQExceptionType.IO_ERROR.getCode(), ex.toString());
				}
			}
		}

	}

}
