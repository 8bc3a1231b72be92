package io.statestore.dafka.store.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Creates directories that survive a power failure. */
final class Directories {

	private Directories() {
	}

	/**
	 * Creates a directory and its parents unless they exist, and syncs the parents.
	 * @param directory the directory
	 * @throws IOException if it is a file, or cannot be created
	 */
	static void create(Path directory) throws IOException {
		Path parent = directory.toAbsolutePath().getParent();
		if (!Files.isDirectory(directory) && parent != null) {
			create(parent);
			Files.createDirectories(directory);
			sync(parent);
		}
	}

	private static void sync(Path directory) {
		try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
			channel.force(true);
		}
		catch (IOException ex) {
			// Windows cannot open directories, and needs no sync for them.
		}
	}

}
