package io.statestore.broker.artemis.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

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

	private final Disk disk;

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

	/** Records appended during {@link #replace}, otherwise {@code null}. */
	private @Nullable List<byte[]> meanwhile;

	private RecordFile(Path file, AppendedFile open, long salt, Disk disk) {
		this.file = file;
		this.open = open;
		this.salt = salt;
		this.disk = disk;
		this.end = open.end();
		// What an earlier process wrote may not be on the disk.
		this.appended = this.end;
	}

	/**
	 * Opens a file, or creates it.
	 * @param file the file
	 * @param records receives the records in their order
	 * @param disk the disk
	 * @return the open file
	 * @throws IOException if the file cannot be read or written
	 * @throws DamagedSessionsException if a record is damaged that was on the disk
	 */
	static RecordFile open(Path file, Consumer<ByteBuffer> records, Disk disk) throws IOException {
		Replacement.deleteRemains(file);
		if (!Files.exists(file)) {
			return create(file, disk);
		}
		FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
		try {
			ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
			RecordFileFormat.Content content = RecordFileFormat.read(file, bytes, records);
			AppendedFile open = new AppendedFile(channel, content.end(), bytes.limit());
			if (!content.isComplete()) {
				cutOff(file, open, bytes.limit() - content.end());
			}
			return new RecordFile(file, open, content.salt(), disk);
		}
		catch (IOException | RuntimeException ex) {
			channel.close();
			throw ex;
		}
	}

	private static RecordFile create(Path file, Disk disk) throws IOException {
		try (Replacement created = Replacement.create(file)) {
			created.force();
			RecordFile result = new RecordFile(file, created.moveIntoPlace(), created.salt(), disk);
			result.forceDirectory();
			return result;
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

	private void forceDirectory() throws IOException {
		this.disk.force(Objects.requireNonNull(this.file.toAbsolutePath().getParent()), true);
	}

	/**
	 * Returns the lock held while a record is appended. The owner may hold it as well, so
	 * that its state matches the records. Nothing waits for the disk with this lock.
	 */
	ReentrantLock lock() {
		return this.lock;
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
			if (this.meanwhile != null) {
				this.meanwhile.add(record);
			}
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

	/**
	 * Waits until all records are on the disk, including those of earlier processes.
	 * @throws IOException if the disk fails, as in {@link #force}
	 */
	void forceAll() throws IOException {
		force(this.appended);
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
	 * Replaces all records, in one step. Also ends the state after a failure. Records can
	 * be appended meanwhile.
	 * @param records returns the new records. Called with the lock
	 * @param space whether the disk has space for a number of bytes
	 * @return {@code false} if it has not. Nothing has changed
	 * @throws IOException if the disk fails or is full
	 */
	boolean replace(Supplier<List<byte[]>> records, LongPredicate space) throws IOException {
		this.forcing.lock();
		try {
			List<byte[]> content;
			long mark;
			this.lock.lock();
			try {
				content = records.get();
				mark = this.appended;
				this.meanwhile = new ArrayList<>();
			}
			finally {
				this.lock.unlock();
			}
			if (!space.test(RecordFileFormat.size(content) + AppendedFile.MAX_AHEAD)) {
				return false;
			}
			replace(content, mark);
			return true;
		}
		finally {
			endReplacement();
			this.forcing.unlock();
		}
	}

	private void replace(List<byte[]> records, long mark) throws IOException {
		try (Replacement replacement = Replacement.create(this.file)) {
			for (byte[] record : records) {
				replacement.append(record);
			}
			long onDisk = replacement.force();
			take(replacement).close();
			try {
				forceDirectory();
			}
			catch (IOException ex) {
				// A power failure could bring the old file back.
				this.failure = ex;
				throw ex;
			}
			this.forced = mark;
			this.forcedEnd = onDisk;
			this.failure = null;
		}
	}

	/** Continues with a new file, and returns the old one. */
	private AppendedFile take(Replacement replacement) throws IOException {
		this.lock.lock();
		try {
			for (byte[] record : Objects.requireNonNull(this.meanwhile)) {
				replacement.append(record);
			}
			AppendedFile earlier = this.open;
			this.open = replacement.moveIntoPlace();
			this.salt = replacement.salt();
			this.end = this.open.end();
			this.forcedEnd = 0;
			// Those that were appended meanwhile are in the new file.
			this.meanwhile = null;
			return earlier;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void endReplacement() {
		this.lock.lock();
		try {
			this.meanwhile = null;
		}
		finally {
			this.lock.unlock();
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
