package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * A few bytes that are stored twice in one file. Replacing them needs no additional disk
 * space. The copies are written one after the other, so that one copy is intact at any
 * time and damage to the other copy loses nothing. Not thread-safe.
 */
public final class TwinFile implements AutoCloseable {

	/** Maximum size of the content, in bytes. */
	public static final int MAX_BYTES = 2_048;

	private static final long MAGIC = 0x53_54_41_54_45_54_57_4eL;

	/**
	 * Distance between the copies in bytes, so that no sector or page contains parts of
	 * both.
	 */
	private static final int COPY_BYTES = 8_192;

	/** Size of a copy's header, in bytes. The content follows. */
	private static final int HEADER_BYTES = 24;

	private final Path path;

	private final DiskFile file;

	private Copy newest;

	/** Whether a write has failed, after which the state of the copies is unknown. */
	private boolean failed;

	private TwinFile(Path path, DiskFile file, Copy newest) {
		this.path = path;
		this.file = file;
		this.newest = newest;
	}

	/**
	 * Creates a file.
	 * @param path the file, which must not exist
	 * @param content the initial content
	 * @return the open file
	 * @throws IOException if the file cannot be created
	 */
	public static TwinFile create(Path path, byte[] content) throws IOException {
		return create(new FileDisk(), path, content);
	}

	static TwinFile create(Disk disk, Path path, byte[] content) throws IOException {
		requireSize(content);
		ByteBuffer copy = new Copy(1, content).encode();
		ByteBuffer copies = ByteBuffer.allocate(2 * COPY_BYTES).put(copy.duplicate());
		StoreFiles.write(disk, path, copies.position(COPY_BYTES).put(copy).clear());
		return open(disk, path);
	}

	/**
	 * Opens a file.
	 * @param path the file
	 * @return the open file
	 * @throws IOException if the file cannot be read
	 * @throws DamagedLogException if both copies are damaged
	 */
	public static TwinFile open(Path path) throws IOException {
		return open(new FileDisk(), path);
	}

	static TwinFile open(Disk disk, Path path) throws IOException {
		DiskFile file = disk.open(path);
		try {
			Copy first = Copy.read(file, 0);
			Copy second = Copy.read(file, 1);
			boolean takeFirst = first != null && (second == null || first.number() >= second.number());
			Copy newest = takeFirst ? first : second;
			if (newest == null) {
				throw new DamagedLogException(path, 0, "the checksums of both copies of its content are wrong");
			}
			TwinFile opened = new TwinFile(path, file, newest);
			// Never changes the only intact copy.
			opened.writeCopy(takeFirst ? 1 : 0, newest);
			opened.writeCopy(takeFirst ? 0 : 1, newest);
			return opened;
		}
		catch (IOException | RuntimeException ex) {
			file.close();
			throw ex;
		}
	}

	/**
	 * Returns the content.
	 * @return the content last read or written
	 */
	public byte[] content() {
		return this.newest.content().clone();
	}

	/**
	 * Replaces the content and waits until both copies are on disk.
	 * @param content the new content
	 * @throws IOException if writing fails. The file then has either the previous or the
	 * new content, and can no longer be written
	 * @throws IllegalArgumentException if the content is too long
	 */
	public void write(byte[] content) throws IOException {
		requireSize(content);
		if (this.failed) {
			// A copy may be damaged, and another force may hide that.
			throw new IOException("Writing to " + this.path + " has failed before. Check the disk, then start again");
		}
		Copy next = new Copy(this.newest.number() + 1, content.clone());
		this.failed = true;
		writeCopy(0, next);
		writeCopy(1, next);
		this.failed = false;
		this.newest = next;
	}

	private static void requireSize(byte[] content) {
		if (content.length > MAX_BYTES) {
			throw new IllegalArgumentException("'content' has " + content.length + " bytes, more than " + MAX_BYTES);
		}
	}

	/** Writes the first or the second copy. */
	private void writeCopy(int slot, Copy copy) throws IOException {
		this.file.write(copy.encode(), (long) slot * COPY_BYTES);
		this.file.force();
	}

	/** Closes the file. */
	@Override
	public void close() throws IOException {
		this.file.close();
	}

	@Override
	public String toString() {
		return this.path.toString();
	}

	/**
	 * A copy: magic number, write number, size, checksum, content.
	 *
	 * @param number the write number; the intact copy with the greater number is current
	 */
	private record Copy(long number, byte[] content) {

		ByteBuffer encode() {
			ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + this.content.length);
			bytes.putLong(MAGIC).putLong(this.number).putInt(this.content.length);
			return bytes.putInt(checksum()).put(this.content).flip();
		}

		private int checksum() {
			ByteBuffer bytes = ByteBuffer.allocate(12 + this.content.length);
			return Checksums.of(bytes.putLong(this.number).putInt(this.content.length).put(this.content).flip());
		}

		/** Reads a copy. Returns {@code null} if it is damaged. */
		static @Nullable Copy read(DiskFile file, int slot) throws IOException {
			ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + MAX_BYTES);
			file.read(bytes, (long) slot * COPY_BYTES);
			if (bytes.flip().limit() < HEADER_BYTES || bytes.getLong() != MAGIC) {
				return null;
			}
			long number = bytes.getLong();
			int size = bytes.getInt();
			int checksum = bytes.getInt();
			if (size < 0 || size > bytes.remaining()) {
				return null;
			}
			Copy read = new Copy(number, new byte[size]);
			bytes.get(read.content);
			return (checksum == read.checksum()) ? read : null;
		}

	}

}
