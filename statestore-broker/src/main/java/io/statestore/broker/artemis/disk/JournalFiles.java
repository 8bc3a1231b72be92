package io.statestore.broker.artemis.disk;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.io.SequentialFile;
import org.apache.activemq.artemis.core.io.nio.NIOSequentialFileFactory;
import org.apache.activemq.artemis.utils.critical.CriticalAnalyzer;

/**
 * Files of a journal. If the disk is full, a new file takes space from a reserve. When
 * the reserve is used up, the creation waits.
 * <p>
 * Leaves direct buffers to the garbage collector: Artemis frees them with a method of
 * Netty that fails on Java 25, because Netty has not allocated them.
 */
final class JournalFiles extends NIOSequentialFileFactory {

	/** End of the names of files that are being created. */
	private static final String NEW = ".tmp";

	private final DiskRetry retry;

	private final ReserveFiles reserve;

	/** Whether records wait for the disk. */
	private final boolean forces;

	/**
	 * Creates a factory for files whose records are not collected, and always wait for
	 * the disk.
	 * @param directory directory of the files
	 * @param disk state of the disk
	 * @param configuration configuration of Artemis
	 */
	JournalFiles(File directory, DiskState disk, Configuration configuration) {
		super(directory, disk, configuration.getJournalMaxIO_NIO());
		this.retry = disk.retry();
		this.reserve = disk.reserve(directory.getName());
		this.forces = true;
	}

	/**
	 * Creates a factory for files whose records are collected for a time.
	 * @param directory directory of the files
	 * @param disk state of the disk
	 * @param configuration configuration of Artemis
	 * @param analyzer required by Artemis
	 */
	JournalFiles(File directory, DiskState disk, Configuration configuration, CriticalAnalyzer analyzer) {
		super(directory, true, configuration.getJournalBufferSize_NIO(), configuration.getJournalBufferTimeout_NIO(),
				configuration.getJournalMaxIO_NIO(), configuration.isLogJournalWriteRate(), disk, analyzer);
		this.retry = disk.retry();
		this.reserve = disk.reserve(directory.getName());
		this.forces = configuration.isJournalDatasync();
	}

	@Override
	public SequentialFile createSequentialFile(String name) {
		return new RetriedFile(this, name);
	}

	/** Returns whether records wait for the disk. Everything else always does. */
	boolean forces() {
		return this.forces;
	}

	/** Returns the retries of failed operations. */
	DiskRetry retry() {
		return this.retry;
	}

	/**
	 * Creates a file, and fills it with zeros if it is for records.
	 * @throws IOException if the broker stops while the disk is full
	 */
	void create(Path file) throws IOException {
		if (!file.getFileName().toString().endsWith(NEW)) {
			this.retry.run(() -> Files.createFile(file));
			return;
		}
		try {
			this.retry.run(() -> allocate(file));
		}
		catch (IOException ex) {
			if (!this.retry.isStopping()) {
				throw ex;
			}
			// A stop must not wait. Artemis waits for the file, and fails to write it.
			try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
				sparse.setLength(this.reserve.fileSize());
			}
		}
	}

	private void allocate(Path file) throws IOException {
		try {
			this.reserve.allocate(file);
		}
		catch (IOException ex) {
			if (!this.reserve.take(file)) {
				throw ex;
			}
		}
	}

	@Override
	public void releaseDirectBuffer(ByteBuffer buffer) {
		// See the description of this class.
	}

}
