package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Access to a store's files.
 *
 * @param disk access to the file system
 * @param layout the file names
 * @param identity the store's identity, which each file contains
 */
record StoreFiles(Disk disk, StoreLayout layout, StoreIdentity identity) {

	private static final Logger logger = LoggerFactory.getLogger(StoreFiles.class);

	/** Maximum size of an intact small file, in bytes. */
	private static final int MAX_BYTES = 4_096;

	/**
	 * Reads a small file.
	 * @return the content after the identity, or {@code null} if the file does not exist
	 */
	@Nullable ByteBuffer read(Path file, long magic, int size) throws IOException {
		if (!this.disk.exists(file)) {
			return null;
		}
		try (DiskFile input = this.disk.read(file)) {
			return this.identity.read(file, input, magic, size);
		}
	}

	/** Closes a file whose content is already on disk, so that a failure is harmless. */
	static void closeQuietly(Closeable open, Path file) {
		try {
			open.close();
		}
		catch (IOException ex) {
			logger.debug("Cannot close {}", file, ex);
		}
	}

	/** Returns a small file's content. */
	static ByteBuffer read(Disk disk, Path file) throws IOException {
		ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
		try (DiskFile input = disk.read(file)) {
			input.read(bytes, 0);
		}
		return bytes.flip();
	}

	/** Replaces a file and forces it to disk, including its directory entry. */
	static void write(Disk disk, Path file, ByteBuffer bytes) throws IOException {
		Path temporary = StoreLayout.temporary(file);
		disk.delete(temporary);
		try (DiskFile output = disk.create(temporary)) {
			output.write(bytes, 0);
			output.force();
		}
		disk.rename(temporary, file);
		Path directory = file.getParent();
		if (directory != null) {
			disk.forceDirectory(directory);
		}
	}

}
