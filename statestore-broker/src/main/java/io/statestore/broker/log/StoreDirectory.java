package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Operations on a store's directory without running the store. A check only reads, and
 * works while another process uses the directory.
 */
public final class StoreDirectory {

	/** Name of the file that is locked while a process uses a directory. */
	public static final String LOCK = StoreLayout.LOCK;

	private StoreDirectory() {
	}

	/**
	 * Creates a directory and its parents unless they exist. If the file system supports
	 * it, only the owner can access the new directories.
	 * @param directory the directory to create
	 * @return the same directory
	 * @throws IOException if it cannot be created
	 */
	public static Path create(Path directory) throws IOException {
		return Files.createDirectories(directory, FileDisk.permissions(directory, "rwx------"));
	}

	/**
	 * Locks a directory for this process until the result is closed.
	 * @param directory the directory, which must exist
	 * @return the lock, which the caller must close
	 * @throws IOException if the lock file cannot be used
	 * @throws StoreDirectoryException if another process, or another component of this
	 * process, holds the lock
	 */
	public static Closeable lock(Path directory) throws IOException {
		return StoreLock.acquire(new StoreLayout(directory));
	}

	/**
	 * Creates and locks a directory for a restore until the result is closed.
	 * @param directory a directory that is absent or empty
	 * @return the lock, which the caller must close
	 * @throws IOException if the directory cannot be used
	 * @throws StoreDirectoryException if it contains files or is in use
	 */
	public static Closeable lockEmpty(Path directory) throws IOException {
		return StoreCreation.lockEmpty(new FileDisk(), new StoreLayout(directory));
	}

	/**
	 * Reads all of a store's files and verifies their checksums. Changes nothing.
	 * @param directory the store's directory
	 * @return a report of the damage found, if any
	 * @throws StoreDirectoryException if the directory does not contain a store or cannot
	 * be read
	 */
	public static CheckReport check(Path directory) {
		try {
			return DirectoryCheck.run(new FileDisk(), new StoreLayout(directory));
		}
		catch (IOException ex) {
			throw StoreDirectoryException.of(directory, ex);
		}
	}

	/**
	 * Creates a store from a backup. The new store has its own identity.
	 * @param file the backup file
	 * @param directory a directory that is absent or empty
	 * @param after version that all versions issued by the restored store exceed, or
	 * {@code null} to rely on the wall clock at the time of the restore
	 * @return the backup
	 * @throws StoreDirectoryException if the file is not an intact backup, or if the
	 * directory contains files or cannot be written
	 */
	public static BackupFile restore(Path file, Path directory, @Nullable Version after) {
		try {
			BackupFile backup = BackupFile.verify(file);
			StoreCreation.restore(new FileDisk(), new StoreLayout(directory), backup, after);
			return backup;
		}
		catch (IOException ex) {
			throw StoreDirectoryException.of(directory, ex);
		}
	}

}
