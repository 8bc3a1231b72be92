package io.statestore.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

import io.statestore.broker.log.BackupFile;
import io.statestore.broker.log.StoreDirectory;
import io.statestore.broker.server.ClusterImport;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Restores a backup for a node of a new cluster. */
public final class NodeRestore {

	private NodeRestore() {
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
	 * @throws io.statestore.broker.log.LogException if the file is not an intact backup,
	 * or the directory has files, is in use, or cannot be written
	 * @throws IOException if a file cannot be read or written
	 */
	public static long run(Path backup, Path directory, @Nullable Version after) throws IOException {
		BackupFile file = BackupFile.verify(backup);
		Closeable lock = StoreDirectory.lockEmpty(directory);
		try (lock; InputStream state = file.open()) {
			return NodeSeed.create(directory, RaftProvider.snapshotId(),
					(output) -> ClusterImport.write(state, after, output));
		}
	}

}
