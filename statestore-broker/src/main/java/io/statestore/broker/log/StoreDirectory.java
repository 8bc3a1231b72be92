package io.statestore.broker.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Operations on the directory of a store without running the store. Check and backup only
 * read, and work while another process serves the directory.
 */
public final class StoreDirectory {

	private StoreDirectory() {
	}

	/**
	 * Creates a directory and its parents, unless they exist. Only the owner can use new
	 * directories, where the file system supports it.
	 * @param directory the directory
	 * @return the directory
	 * @throws IOException if it cannot be created
	 */
	public static Path create(Path directory) throws IOException {
		return Files.createDirectories(directory, FileDisk.permissions(directory, "rwx------"));
	}

	/**
	 * Reads all files of a store and verifies their checksums. Changes nothing.
	 * @param directory directory of the store
	 * @return the report
	 * @throws StoreDirectoryException if the directory is not that of a store, or cannot
	 * be read
	 */
	public static CheckReport check(Path directory) {
		try {
			return DirectoryCheck.run(new FileDisk(), new StoreLayout(directory));
		}
		catch (IOException ex) {
			throw StoreErrors.of(directory, ex);
		}
	}

	/**
	 * Copies a store into one file. Works while a process serves the directory: the copy
	 * has all batches acknowledged before the call.
	 * @param directory directory of the store
	 * @param file the ZIP file to create
	 * @return a description of the backup
	 * @throws StoreDirectoryException if the directory is not that of a store, cannot be
	 * read, or the file exists or cannot be written
	 * @throws DamagedLogException if the store is damaged
	 */
	public static BackupReport backup(Path directory, Path file) {
		try {
			return new Backup(new FileDisk(), directory, file).run();
		}
		catch (IOException ex) {
			throw StoreErrors.of(directory, ex);
		}
	}

	/**
	 * Writes a snapshot of another component as a backup that {@link #restore} accepts.
	 * @param snapshot the snapshot, which is read up to its end and not closed
	 * @param file the ZIP file to create
	 * @return a description of the backup
	 * @throws IOException if the file cannot be written
	 * @throws StoreDirectoryException if the file exists
	 * @throws DamagedLogException if the snapshot is damaged
	 */
	public static BackupReport backup(SnapshotInput snapshot, Path file) throws IOException {
		return new SnapshotBackup(snapshot, file).run();
	}

	/**
	 * Unpacks a backup and checks the result. The restored store keeps its identity,
	 * because all its files carry it.
	 * @param file the file with the backup
	 * @param directory a directory that is absent or empty
	 * @param after version that the restored store exceeds from the first write on, or
	 * {@code null} to rely on the wall clock at the time of the restore
	 * @return a description of the backup
	 * @throws StoreDirectoryException if the file is not an intact backup, or the
	 * directory has files or cannot be written
	 */
	public static BackupReport restore(Path file, Path directory, @Nullable Version after) {
		try {
			return new Restore(new FileDisk(), file, directory).run(after);
		}
		catch (IOException ex) {
			throw StoreErrors.of(directory, ex);
		}
	}

}
