package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import java.util.UUID;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Creates a store from a backup, while no other process can use the directory. The file
 * {@code store} comes last, so that an interrupted restore leaves no store.
 */
final class Restore {

	/** Index of the entry to whose place the state belongs. The log begins behind it. */
	private static final long INDEX = 1;

	private Restore() {
	}

	static void run(Disk disk, BackupFile backup, StoreLayout layout, @Nullable Version after) throws IOException {
		Closeable lock = StoreCreation.lockEmpty(disk, layout);
		try (lock) {
			StoreIdentity identity = new StoreIdentity(UUID.randomUUID(), new Restored(Instant.now(), after));
			SnapshotHeader header = new SnapshotHeader(identity.id(), INDEX, Instant.now());
			disk.createDirectories(layout.snapshots());
			// First, because it keeps a start from creating a store here.
			try (SnapshotOutput output = new SnapshotOutput(disk, layout.snapshot(INDEX), header)) {
				backup.copyTo(output);
				output.commit();
			}
			StoreCreation.createLog(disk, layout, identity, INDEX);
			identity.write(disk, layout);
		}
	}

}
