package io.statestore.broker.artemis.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;

/**
 * New content of a {@link RecordFile}, in a temporary file until it has the name of the
 * old one.
 */
final class Replacement implements Closeable {

	private final Path target;

	private final long salt;

	private final AppendedFile content;

	private boolean moved;

	private Replacement(Path target, long salt, AppendedFile content) {
		this.target = target;
		this.salt = salt;
		this.content = content;
	}

	/**
	 * Creates a temporary file without records.
	 * @param target the file to replace
	 * @throws IOException if the disk fails or is full
	 */
	static Replacement create(Path target) throws IOException {
		long salt = new SecureRandom().nextLong();
		FileChannel channel = FileChannel.open(temporary(target), StandardOpenOption.CREATE,
				StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.READ, StandardOpenOption.WRITE);
		Replacement created = new Replacement(target, salt, new AppendedFile(channel, 0, 0));
		try {
			created.content.append(RecordFileFormat.header(salt));
			return created;
		}
		catch (IOException ex) {
			created.close();
			throw ex;
		}
	}

	/** Deletes the temporary file that a crash has left. */
	static void deleteRemains(Path target) throws IOException {
		Files.deleteIfExists(temporary(target));
	}

	private static Path temporary(Path target) {
		return target.resolveSibling(target.getFileName() + ".new");
	}

	/** Returns the salt of the checksums. */
	long salt() {
		return this.salt;
	}

	/** Appends a record, without waiting for the disk. */
	void append(byte[] record) throws IOException {
		this.content.append(RecordFileFormat.framed(record, this.salt, 0));
	}

	/**
	 * Waits until the records are on the disk.
	 * @return position behind the last of them
	 */
	long force() throws IOException {
		this.content.force();
		return this.content.end();
	}

	/**
	 * Gives this file the name of the old one, without waiting for the disk.
	 * @return the open file, which the caller closes
	 */
	AppendedFile moveIntoPlace() throws IOException {
		Files.move(temporary(this.target), this.target, StandardCopyOption.ATOMIC_MOVE,
				StandardCopyOption.REPLACE_EXISTING);
		this.moved = true;
		return this.content;
	}

	/** Deletes the temporary file, unless it has replaced the old one. */
	@Override
	public void close() throws IOException {
		if (!this.moved) {
			try {
				this.content.close();
			}
			finally {
				deleteRemains(this.target);
			}
		}
	}

}
