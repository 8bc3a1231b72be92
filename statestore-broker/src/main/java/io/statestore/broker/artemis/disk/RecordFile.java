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
import java.util.zip.CRC32C;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * File of records, each with a checksum. Records are appended. From time to time the
 * owner replaces all of them by fewer ones, in one step. Thread-safe.
 * <p>
 * Layout: magic number, format, salt, and their checksum; then for each record its
 * length, its checksum, and its bytes. The checksum includes the salt, so that bytes
 * inside a record, which clients may choose, never look like a record.
 */
final class RecordFile implements Closeable {

	private static final Logger logger = LoggerFactory.getLogger(RecordFile.class);

	private static final int MAGIC = 0x53534D53;

	private static final int FORMAT = 1;

	private static final int HEADER = 20;

	private static final int RECORD_HEADER = 8;

	private final Path file;

	/** Whether {@link #force} waits for the disk. */
	private final boolean forces;

	/** Guards the channel, the end, and appending. */
	private final ReentrantLock lock = new ReentrantLock();

	/** Held by the thread that waits for the disk on behalf of all threads. */
	private final ReentrantLock forcing = new ReentrantLock();

	private FileChannel channel;

	private long salt;

	/** Position behind the last record. */
	private volatile long end;

	/** Number of bytes appended to this file and to the files that it replaced. */
	private volatile long appended;

	/** Value of {@link #appended} up to which everything is on the disk. */
	private volatile long forced;

	/** First failure of the disk, after which only {@link #replace} helps. */
	private volatile @Nullable IOException failure;

	private RecordFile(Path file, boolean forces, FileChannel channel, long salt, long end) {
		this.file = file;
		this.forces = forces;
		this.channel = channel;
		this.salt = salt;
		this.end = end;
	}

	/**
	 * Opens a file, or creates it.
	 * @param file the file
	 * @param forces whether {@link #force} waits for the disk
	 * @param records receives the records in their order
	 * @return the open file
	 * @throws IOException if the file cannot be read or written
	 * @throws DamagedSessionsException if a record other than the last is damaged
	 */
	static RecordFile open(Path file, boolean forces, Consumer<ByteBuffer> records) throws IOException {
		Files.deleteIfExists(temporary(file));
		if (!Files.exists(file) || Files.size(file) < HEADER) {
			long salt = new SecureRandom().nextLong();
			RecordFile created = new RecordFile(file, forces, create(file, salt), salt, HEADER);
			created.moveIntoPlace();
			created.forceDirectory();
			return created;
		}
		FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
		try {
			ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
			if (bytes.getInt() != MAGIC) {
				throw new DamagedSessionsException(file, "does not start with the expected bytes");
			}
			int format = bytes.getInt();
			if (format != FORMAT) {
				throw new IllegalStateException(
						"The file " + file + " has format " + format + ", but this version reads only format " + FORMAT
								+ ". Start the version that wrote it, or a newer one");
			}
			long salt = bytes.getLong();
			if (bytes.getInt() != headerChecksum(salt)) {
				throw new DamagedSessionsException(file, "at position " + Long.BYTES);
			}
			long end = read(file, bytes, salt, records);
			RecordFile opened = new RecordFile(file, forces, channel, salt, end);
			opened.cutOff(bytes.limit());
			return opened;
		}
		catch (IOException | RuntimeException ex) {
			channel.close();
			throw ex;
		}
	}

	/** Reads all records. Returns the position behind the last valid one. */
	private static long read(Path file, ByteBuffer bytes, long salt, Consumer<ByteBuffer> records) {
		while (isRecord(bytes, bytes.position(), salt)) {
			int length = bytes.getInt();
			bytes.getInt();
			records.accept(bytes.slice(bytes.position(), length));
			bytes.position(bytes.position() + length);
		}
		int end = bytes.position();
		for (int position = end + 1; position < bytes.limit(); position++) {
			if (isRecord(bytes, position, salt)) {
				throw new DamagedSessionsException(file, "at position " + end);
			}
		}
		return end;
	}

	private static boolean isRecord(ByteBuffer bytes, int position, long salt) {
		if (bytes.limit() - position < RECORD_HEADER) {
			return false;
		}
		int length = bytes.getInt(position);
		return length > 0 && length <= bytes.limit() - position - RECORD_HEADER && bytes
			.getInt(position + Integer.BYTES) == checksum(bytes.slice(position + RECORD_HEADER, length), salt);
	}

	private static int headerChecksum(long salt) {
		return checksum(ByteBuffer.allocate(0), salt);
	}

	private static int checksum(ByteBuffer record, long salt) {
		CRC32C checksum = new CRC32C();
		checksum.update(ByteBuffer.allocate(Long.BYTES).putLong(salt).flip());
		checksum.update(record);
		return (int) checksum.getValue();
	}

	/** Removes a record that was not written completely. */
	private void cutOff(long size) throws IOException {
		if (this.end < size) {
			logger.warn("Cut off {} bytes at the end of {}: the process ended while it wrote them", size - this.end,
					this.file);
			this.channel.truncate(this.end);
			this.channel.force(true);
		}
	}

	private static Path temporary(Path file) {
		return file.resolveSibling(file.getFileName() + ".new");
	}

	private static FileChannel create(Path file, long salt) throws IOException {
		FileChannel channel = FileChannel.open(temporary(file), StandardOpenOption.CREATE,
				StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.READ, StandardOpenOption.WRITE);
		try {
			ByteBuffer header = ByteBuffer.allocate(HEADER).putInt(MAGIC).putInt(FORMAT).putLong(salt);
			write(channel, header.putInt(headerChecksum(salt)).flip(), 0);
			return channel;
		}
		catch (IOException ex) {
			channel.close();
			throw ex;
		}
	}

	/** Writes a new file to the disk, and gives it its name. */
	private void moveIntoPlace() throws IOException {
		this.channel.force(true);
		Files.move(temporary(this.file), this.file, StandardCopyOption.ATOMIC_MOVE,
				StandardCopyOption.REPLACE_EXISTING);
	}

	private void forceDirectory() throws IOException {
		try (FileChannel directory = FileChannel.open(Objects.requireNonNull(this.file.toAbsolutePath().getParent()))) {
			directory.force(true);
		}
	}

	private static void write(FileChannel channel, ByteBuffer bytes, long position) throws IOException {
		long next = position;
		while (bytes.hasRemaining()) {
			next += channel.write(bytes, next);
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
			try {
				write(this.channel, framed(record), this.end);
			}
			catch (IOException ex) {
				// The next record overwrites what was written.
				this.channel.truncate(this.end);
				throw ex;
			}
			this.end += RECORD_HEADER + record.length;
			this.appended += RECORD_HEADER + record.length;
			return this.appended;
		}
		finally {
			this.lock.unlock();
		}
	}

	private ByteBuffer framed(byte[] record) {
		return ByteBuffer.allocate(RECORD_HEADER + record.length)
			.putInt(record.length)
			.putInt(checksum(ByteBuffer.wrap(record), this.salt))
			.put(record)
			.flip();
	}

	private void throwFailure() throws IOException {
		IOException failure = this.failure;
		if (failure != null) {
			throw new IOException("An earlier write to " + this.file + " failed", failure);
		}
	}

	/**
	 * Waits until records are on the disk, unless this file does not wait for the disk.
	 * Concurrent callers share one wait.
	 * @param mark return value of {@link #append} for the last of them
	 * @throws IOException if the disk fails. The records may be lost, and further ones
	 * are refused until {@link #replace}
	 */
	void force(long mark) throws IOException {
		if (this.forces && this.forced < mark) {
			forceUpTo(mark);
		}
	}

	/**
	 * Waits until all records are on the disk, also if this file does not usually wait.
	 * @throws IOException if the disk fails
	 */
	void forceAll() throws IOException {
		long mark = this.appended;
		if (this.forced < mark) {
			forceUpTo(mark);
		}
	}

	private void forceUpTo(long mark) throws IOException {
		this.forcing.lock();
		try {
			throwFailure();
			if (this.forced < mark) {
				long written = this.appended;
				this.channel.force(false);
				this.forced = written;
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
			FileChannel earlier = this.channel;
			long earlierSalt = this.salt;
			FileChannel replacement = create(this.file, salt);
			boolean replaced = false;
			try {
				this.channel = replacement;
				this.salt = salt;
				long position = HEADER;
				for (byte[] record : records) {
					write(replacement, framed(record), position);
					position += RECORD_HEADER + record.length;
				}
				moveIntoPlace();
				replaced = true;
				this.end = position;
				this.forced = this.appended;
				this.failure = null;
				forceDirectory();
			}
			finally {
				if (replaced) {
					earlier.close();
				}
				else {
					this.channel = earlier;
					this.salt = earlierSalt;
					replacement.close();
				}
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
			this.channel.close();
		}
		finally {
			this.lock.unlock();
			this.forcing.unlock();
		}
	}

}
