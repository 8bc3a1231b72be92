package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * File operations that a store needs. Written bytes, creations, renames, and deletions
 * may be lost in a power failure until they are forced.
 */
interface Disk {

	/** Creates a file, which must not exist, for reading and writing. */
	DiskFile create(Path file) throws IOException;

	/** Opens an existing file for reading and writing. */
	DiskFile open(Path file) throws IOException;

	/** Opens an existing file for reading. */
	DiskFile read(Path file) throws IOException;

	/** Returns the files in a directory, sorted by name. */
	List<Path> list(Path directory) throws IOException;

	boolean exists(Path file);

	/** Renames a file atomically, replacing the target if it exists. */
	void rename(Path source, Path target) throws IOException;

	/** Gives a file another name, which must not exist. */
	void link(Path source, Path target) throws IOException;

	/** Deletes a file if it exists. */
	void delete(Path file) throws IOException;

	/** Creates a directory. */
	void createDirectory(Path directory) throws IOException;

	/**
	 * Creates a directory and its parents, unless they exist, and forces their names. If
	 * possible, also forces the name of the innermost existing directory, because a
	 * process may have ended after creating it, but before forcing its name.
	 */
	default void createDirectories(Path directory) throws IOException {
		Path parent = directory.toAbsolutePath().getParent();
		if (parent == null) {
			return;
		}
		if (isDirectory(directory)) {
			try {
				forceDirectory(parent);
			}
			catch (IOException ex) {
				// The parent may belong to another user or to a file system that cannot
				// force directories.
			}
			return;
		}
		createDirectories(parent);
		createDirectory(directory);
		forceDirectory(parent);
	}

	/** Forces the creations, renames, and deletions in a directory. */
	void forceDirectory(Path directory) throws IOException;

	/**
	 * Opens a directory, so that its changes can be forced even when the process cannot
	 * open any more files.
	 */
	OpenDirectory openDirectory(Path directory) throws IOException;

	boolean isDirectory(Path file);

	/**
	 * Locks a directory for this process until the result is closed.
	 * @throws StoreDirectoryException if another process or log uses the directory
	 */
	Closeable lock(StoreLayout layout) throws IOException;

	/** An open directory. */
	interface OpenDirectory extends Closeable {

		/** Forces the creations, renames, and deletions in the directory. */
		void force() throws IOException;

	}

}
