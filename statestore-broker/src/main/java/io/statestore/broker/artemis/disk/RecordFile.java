package io.statestore.broker.artemis.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * File of records, each with a checksum. Records are appended. From time to time the
 * owner replaces all of them by fewer ones, in one step. Thread-safe.
 */
final class RecordFile implements Closeable {

	private static final Logger logger = LoggerFactory.getLogger(RecordFile.class);

	private final Path file;

	/** Guards the open file, the end, and appending. */
	private final ReentrantLock lock = new ReentrantLock();

	/** Held by the thread that waits for the disk on behalf of all threads. */
	private final ReentrantLock forcing = new ReentrantLock();

	private AppendedFile open;

	private long salt;

	/** Position behind the last record. */
	private volatile long end;

	/** Number of bytes appended to this file and to the files that it replaced. */
	private volatile long appended;

	/** Value of {@link #appended} up to which everything is on the disk. */
	private volatile long forced;

	/** Position in this file up to which everything is on the disk. */
	private volatile long forcedEnd;

	/** First failure of the disk, after which only {@link #replace} helps. */
	private volatile @Nullable IOException failure;

	private RecordFile(Path file, AppendedFile open, long salt) {
		this.file = file;
		this.open = open;
		this.salt = salt;
		this.end = open.end();
	}

	/**
	 * Opens a file, or creates it.
	 * @param file the file
	 * @param records receives the records in their order
	 * @return the open file
	 * @throws IOException if the file cannot be read or written
	 * @throws DamagedSessionsException if a record is damaged that was on the disk
	 */
	static RecordFile open(Path file, Consumer<ByteBuffer> records) throws IOException {
		Files.deleteIfExists(temporary(file));
		if (!Files.exists(file)) {
			long salt = new SecureRandom().nextLong();
			RecordFile created = new RecordFile(file, create(file, salt), salt);
			created.moveIntoPlace(created.open);
			created.forceDirectory();
			return created;
		}
		FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
		try {
			ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
			RecordFileFormat.Content content = RecordFileFormat.read(file, bytes, records);
			AppendedFile open = new AppendedFile(channel, content.end(), bytes.limit());
			if (!content.isComplete()) {
				cutOff(file, open, bytes.limit() - content.end());
			}
			return new RecordFile(file, open, content.salt());
		}
		catch (IOException | RuntimeException ex) {
			channel.close();
			throw ex;
		}
	}

	/** Removes what was not on the disk at a crash. */
	private static void cutOff(Path file, AppendedFile open, long bytes) throws IOException {
		logger.warn(
				"Cut off {} bytes at the end of {}: the process or the machine stopped before they were on the disk",
				bytes, file);
		open.cutOff();
		open.force();
	}

	private static Path temporary(Path file) {
		return file.resolveSibling(file.getFileName() + ".new");
	}

	private static AppendedFile create(Path file, long salt) throws IOException {
		FileChannel channel = FileChannel.open(temporary(file), StandardOpenOption.CREATE,
				StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.READ, StandardOpenOption.WRITE);
		try {
			AppendedFile created = new AppendedFile(channel, 0, 0);
			created.append(RecordFileFormat.header(salt));
			return created;
		}
		catch (IOException ex) {
			channel.close();
			throw ex;
		}
	}

	/** Writes a new file to the disk, and gives it its name. */
	private void moveIntoPlace(AppendedFile created) throws IOException {
		created.force();
		Files.move(temporary(this.file), this.file, StandardCopyOption.ATOMIC_MOVE,
				StandardCopyOption.REPLACE_EXISTING);
	}

	private void forceDirectory() throws IOException {
		try (FileChannel directory = FileChannel.open(Objects.requireNonNull(this.file.toAbsolutePath().getParent()))) {
			directory.force(true);
		}
	}

	/**
	 * Appends a record, without waiting for the disk.
	 * @param record the bytes of the record, at least one
	 * @return the mark to pass to {@link #force}
	 * @throws IOException if the disk is full, or the file failed earlier
	 */
	long append(byte[] record) throws IOException {
		this.lock.lock();
		try {
			throwFailure();
			this.open.append(RecordFileFormat.framed(record, this.salt, this.forcedEnd));
			this.end = this.open.end();
			this.appended += RecordFileFormat.RECORD_HEADER + record.length;
			return this.appended;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void throwFailure() throws IOException {
		IOException failure = this.failure;
		if (failure != null) {
			throw new IOException("An earlier write to " + this.file + " failed", failure);
		}
	}

	/**
	 * Waits until records are on the disk. Concurrent callers share one wait.
	 * @param mark return value of {@link #append} for the last of them
	 * @throws IOException if the disk fails. The records may be lost, and further ones
	 * are refused until {@link #replace}
	 */
	void force(long mark) throws IOException {
		if (this.forced < mark) {
			forceUpTo(mark);
		}
	}

	private void forceUpTo(long mark) throws IOException {
		this.forcing.lock();
		try {
			throwFailure();
			if (this.forced < mark) {
				long written;
				long position;
				this.lock.lock();
				try {
					written = this.appended;
					position = this.end;
				}
				finally {
					this.lock.unlock();
				}
				this.open.force();
				this.forced = written;
				this.forcedEnd = position;
			}
		}
		catch (IOException ex) {
			if (this.failure == null) {
				// A second attempt might succeed although the data is lost.
				this.failure = ex;
			}
			throw ex;
		}
		finally {
			this.forcing.unlock();
		}
	}

	/**
	 * Replaces all records, in one step. Also ends the state after a failure.
	 * @param records the new records
	 * @throws IOException if the new file cannot be written. The file is unchanged
	 */
	void replace(Iterable<byte[]> records) throws IOException {
		this.forcing.lock();
		this.lock.lock();
		try {
			long salt = new SecureRandom().nextLong();
			AppendedFile earlier = this.open;
			AppendedFile replacement = create(this.file, salt);
			boolean replaced = false;
			try {
				for (byte[] record : records) {
					replacement.append(RecordFileFormat.framed(record, salt, 0));
				}
				moveIntoPlace(replacement);
				replaced = true;
				this.open = replacement;
				this.salt = salt;
				this.end = replacement.end();
				this.forced = this.appended;
				this.forcedEnd = this.end;
				this.failure = null;
				forceDirectory();
			}
			finally {
				(replaced ? earlier : replacement).close();
			}
		}
		finally {
			this.lock.unlock();
			this.forcing.unlock();
		}
	}

	/** Returns the size of the file in bytes. */
	long size() {
		return this.end;
	}

	/** Returns whether the disk failed, so that records are refused. */
	boolean hasFailed() {
		return this.failure != null;
	}

	@Override
	public void close() throws IOException {
		this.forcing.lock();
		this.lock.lock();
		try {
			this.open.close();
		}
		finally {
			this.lock.unlock();
			this.forcing.unlock();
		}
	}

}
