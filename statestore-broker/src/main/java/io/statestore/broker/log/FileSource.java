package io.statestore.broker.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Files to read. */
interface FileSource {

	/** Opens an existing file for reading. */
	DiskFile read(Path file) throws IOException;

	/** Returns the files in a directory in the order of their names. */
	List<Path> list(Path directory) throws IOException;

	/**
	 * Returns the files that a directory has now, in the order of their names, also those
	 * that cannot be read here.
	 */
	default List<Path> listNow(Path directory) throws IOException {
		return list(directory);
	}

	boolean exists(Path file);

}
