package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Access to the files of a store.
 *
 * @param disk the disk
 * @param layout names of the files
 * @param identity identity that each file carries
 */
record StoreFiles(Disk disk, StoreLayout layout, StoreIdentity identity) {

	private static final Logger logger = LoggerFactory.getLogger(StoreFiles.class);

	/** Size above which a small file cannot be intact, in bytes. */
	private static final int MAX_BYTES = 4_096;

	/**
	 * Reads a small file.
	 * @return what follows the identity, or {@code null} if there is no such file
	 */
	@Nullable ByteBuffer read(Path file, long magic, int size) throws IOException {
		if (!this.disk.exists(file)) {
			return null;
		}
		try (DiskFile input = this.disk.read(file)) {
			return this.identity.read(file, input, magic, size);
		}
	}

	/** Closes a file whose content is on the disk, so that a failure does no harm. */
	static void closeQuietly(Closeable open, Path file) {
		try {
			open.close();
		}
		catch (IOException ex) {
			logger.debug("Cannot close {}", file, ex);
		}
	}

	/** Returns the content of a small file. */
	static ByteBuffer read(Disk disk, Path file) throws IOException {
		ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
		try (DiskFile input = disk.read(file)) {
			input.read(bytes, 0);
		}
		return bytes.flip();
	}

	/** Replaces a file and forces it to the disk, including its directory entry. */
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
