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
	 * Prepares a node's directory for the first start of a new cluster. All nodes of the
	 * cluster need the same backup and the same version; otherwise, they refuse each
	 * other. Reads all keys into memory.
	 * @param backup file with the backup of a store or of a cluster node
	 * @param directory a directory that is absent or empty
	 * @param after version that all new versions must exceed, {@code null} to rely on the
	 * first leader's system clock
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
