package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Files of zeros that the journal takes over when the disk is full. It can then store
 * acknowledgments without new space. Thread-safe.
 */
final class ReserveFiles {

	private static final int CHUNK = 64 * 1024;

	private final Path directory;

	private final int size;

	private final int count;

	/**
	 * Creates a reserve, which may contain files of an earlier process.
	 * @param directory directory of the journal
	 * @param size size of each file in bytes
	 * @param count number of files
	 */
	ReserveFiles(Path directory, int size, int count) {
		this.directory = directory;
		this.size = size;
		this.count = count;
	}

	/**
	 * Creates missing files.
	 * @throws IOException if the disk fails or is full
	 */
	synchronized void fill() throws IOException {
		for (int i = 0; i < this.count; i++) {
			Path file = file(i);
			if (!isComplete(file)) {
				allocate(file);
			}
		}
	}

	/** Returns the size of the missing files in bytes. */
	synchronized long missing() throws IOException {
		long missing = 0;
		for (int i = 0; i < this.count; i++) {
			if (!isComplete(file(i))) {
				missing += this.size;
			}
		}
		return missing;
	}

	/**
	 * Moves a file of the reserve to a new name.
	 * @param target the new name in the same directory
	 * @return whether there was such a file
	 * @throws IOException if the disk fails
	 */
	synchronized boolean take(Path target) throws IOException {
		for (int i = 0; i < this.count; i++) {
			Path file = file(i);
			if (isComplete(file)) {
				Files.move(file, target, StandardCopyOption.ATOMIC_MOVE);
				return true;
			}
		}
		return false;
	}

	/** Returns the size of each file of the journal in bytes. */
	int fileSize() {
		return this.size;
	}

	private Path file(int index) {
		return this.directory.resolve("reserve-" + index);
	}

	private boolean isComplete(Path file) throws IOException {
		return Files.exists(file) && Files.size(file) == this.size;
	}

	/**
	 * Creates a file of zeros on the disk, or none.
	 * @param file the new file
	 * @throws IOException if the disk fails or is full
	 */
	void allocate(Path file) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE,
				StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
			for (long position = 0; position < this.size;) {
				position += channel.write(ByteBuffer.allocate((int) Math.min(CHUNK, this.size - position)), position);
			}
			channel.force(true);
		}
		catch (IOException ex) {
			Files.deleteIfExists(file);
			throw ex;
		}
	}

}
