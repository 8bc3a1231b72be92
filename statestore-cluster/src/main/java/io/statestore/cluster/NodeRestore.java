package io.statestore.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.broker.log.BackupFile;
import io.statestore.broker.log.StoreDirectory;
import io.statestore.broker.server.ClusterImport;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Restores a backup for a node of a new cluster. */
public final class NodeRestore {

	private final BackupFile backup;

	private final Path directory;

	private long keys;

	private NodeRestore(BackupFile backup, Path directory) {
		this.backup = backup;
		this.directory = directory;
	}

	/**
	 * Prepares the directory of a node for the first start of a new cluster. All its
	 * nodes need the same backup and version: nodes with different ones refuse each
	 * other. Reads all keys into memory.
	 * @param backup the file with the backup of a store, or of a node of a cluster
	 * @param directory a directory that is absent or empty
	 * @param after version that all new versions exceed, or {@code null} to rely on the
	 * system clock of the first leader
	 * @return the number of keys
	 * @throws NodeDirectoryException if the directory has files
	 * @throws io.statestore.broker.log.LogException if the file is not an intact backup,
	 * or the directory is in use or cannot be written
	 * @throws IOException if a file cannot be read or written
	 */
	public static long run(Path backup, Path directory, @Nullable Version after) throws IOException {
		return new NodeRestore(BackupFile.verify(backup), directory).run(after);
	}

	private long run(@Nullable Version after) throws IOException {
		StoreDirectory.create(this.directory);
		// Before the lock, whose file other directories would keep.
		requireEmpty();
		Closeable lock = StoreDirectory.lock(this.directory);
		try (lock) {
			requireEmpty();
			try {
				restore(after);
				return this.keys;
			}
			catch (IOException | RuntimeException | Error ex) {
				delete(ex);
				throw ex;
			}
		}
	}

	private void requireEmpty() throws IOException {
		List<String> others;
		try (Stream<Path> files = Files.list(this.directory)) {
			others = files.map((file) -> file.getFileName().toString())
				.filter((name) -> !name.equals(StoreDirectory.LOCK) && !name.equals("lost+found"))
				.sorted()
				.toList();
		}
		if (!others.isEmpty()) {
			throw new NodeDirectoryException("Directory " + this.directory + " has files, such as '" + others.get(0)
					+ "'. Restore into an empty directory");
		}
	}

	private void restore(@Nullable Version after) throws IOException {
		NodeSeed.create(this.directory, RaftProvider.snapshotId(), (output) -> {
			try (InputStream state = this.backup.open()) {
				this.keys = ClusterImport.write(state, after, output);
			}
		});
	}

	/** Deletes what this restore has written, so that it can be repeated. */
	private void delete(Throwable reason) {
		try {
			NodeSeed.deleteAll(this.directory.resolve(NodeSeed.TEMPORARY));
			NodeSeed.delete(this.directory);
		}
		catch (IOException ex) {
			reason.addSuppressed(ex);
		}
	}

}
