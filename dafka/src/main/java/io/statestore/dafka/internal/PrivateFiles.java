package io.statestore.dafka.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Creates directories and files that only their owner can read, if the file system
 * supports such permissions. Existing files and directories keep their permissions.
 * Internal: not part of the API.
 */
public final class PrivateFiles {

	private PrivateFiles() {
	}

	/**
	 * Creates a directory and its missing parents. Syncs the parents, so that the
	 * directory survives a power failure.
	 * @param directory the directory, which may exist
	 * @throws IOException if the path is a file or the directory cannot be created
	 */
	public static void createDirectories(Path directory) throws IOException {
		Path parent = directory.toAbsolutePath().getParent();
		if (!Files.isDirectory(directory) && parent != null) {
			createDirectories(parent);
			Files.createDirectories(directory, permissions("rwx------"));
			sync(parent);
		}
	}

	private static void sync(Path directory) {
		try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
			channel.force(true);
		}
		catch (IOException ex) {
			// Windows cannot open directories and does not need to sync them.
		}
	}

	/**
	 * Opens a file for reading and writing, creating it if necessary.
	 * @param file the file to open
	 * @return a channel that the caller must close
	 * @throws IOException if the file cannot be opened
	 */
	public static FileChannel open(Path file) throws IOException {
		return FileChannel.open(file,
				Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
				permissions("rw-------"));
	}

	/**
	 * Returns the file attribute that sets permissions.
	 * @param permissions POSIX permissions, such as {@code rw-------}
	 * @return the attribute; empty if the file system does not support POSIX permissions
	 */
	public static FileAttribute<?>[] permissions(String permissions) {
		boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
		return posix
				? new FileAttribute<?>[] {
						PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)) }
				: new FileAttribute<?>[0];
	}

}
