package io.statestore.broker.log;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;

/**
 * Reads and writes snapshots in another component's directory, in the {@link FileLog}
 * format.
 */
public final class SnapshotFile {

	private SnapshotFile() {
	}

	/**
	 * Returns the file name for a snapshot.
	 * @param index index of the last entry whose effect the snapshot contains
	 * @return the name
	 */
	public static String name(long index) {
		return new StoreLayout(Path.of("")).snapshot(index).getFileName().toString();
	}

	/**
	 * Begins a snapshot. {@link SnapshotOutput#commit()} forces it to disk.
	 * @param directory the directory, which must not contain the snapshot yet
	 * @param id identity of the store
	 * @param index index of the last entry whose effect the snapshot contains
	 * @return the output, which the caller must close
	 * @throws IOException if the file cannot be created
	 */
	public static SnapshotOutput create(Path directory, UUID id, long index) throws IOException {
		return new SnapshotOutput(new FileDisk(), directory.resolve(name(index)),
				new SnapshotHeader(id, index, Instant.now()));
	}

	/**
	 * Opens a snapshot.
	 * @param path the file
	 * @param id identity of the store
	 * @return the content, which the caller must close
	 * @throws IOException if the file cannot be read
	 * @throws DamagedLogException if the file is damaged
	 * @throws StoreDirectoryException if the file belongs to another store
	 */
	public static SnapshotInput open(Path path, UUID id) throws IOException {
		return SnapshotInput.open(new FileDisk(), path, new StoreIdentity(id, null));
	}

	/**
	 * Reads an entire snapshot to verify it, and forces it to disk.
	 * @param path the file
	 * @param id identity of the store
	 * @throws IOException if the file cannot be read or forced
	 * @throws DamagedLogException if the file is damaged
	 */
	public static void verify(Path path, UUID id) throws IOException {
		try (SnapshotInput input = open(path, id)) {
			input.transferTo(OutputStream.nullOutputStream());
		}
		Disk disk = new FileDisk();
		try (DiskFile file = disk.open(path)) {
			file.force();
		}
		Path directory = path.getParent();
		if (directory != null) {
			disk.forceDirectory(directory);
		}
	}

}
