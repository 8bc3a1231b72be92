package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Files of a few bytes that are written at once. */
final class SmallFile {

	/** Size above which such a file cannot be intact, in bytes. */
	private static final int MAX_BYTES = 4_096;

	private SmallFile() {
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

	/** Returns the content of a file, at most {@link #MAX_BYTES} of it. */
	static ByteBuffer read(Disk disk, Path file) throws IOException {
		ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
		try (DiskFile input = disk.read(file)) {
			input.read(bytes, 0);
		}
		return bytes.flip();
	}

}
