package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
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

	private final Disk disk;

	private final BackupFile backup;

	private final StoreLayout layout;

	Restore(Disk disk, BackupFile backup, Path directory) {
		this.disk = disk;
		this.backup = backup;
		this.layout = new StoreLayout(directory);
	}

	void run(@Nullable Version after) throws IOException {
		Closeable lock = StoreCreation.lockEmpty(this.disk, this.layout);
		try (lock) {
			restore(after);
		}
	}

	private void restore(@Nullable Version after) throws IOException {
		StoreIdentity identity = new StoreIdentity(UUID.randomUUID(), new Restored(Instant.now(), after));
		SnapshotHeader header = new SnapshotHeader(identity.id(), INDEX, Instant.now());
		this.disk.createDirectories(this.layout.snapshots());
		// First, because it keeps a start from creating a store here.
		try (SnapshotOutput output = new SnapshotOutput(this.disk, this.layout.snapshot(INDEX), header,
				SnapshotOutput.Publication.ALONE)) {
			this.backup.copyTo(output);
			output.commit();
		}
		StoreCreation.createLog(this.disk, this.layout, identity, INDEX);
		identity.write(this.disk, this.layout);
	}

}
