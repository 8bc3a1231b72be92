package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

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
		// Also keeps a start from creating a store here if the restore is interrupted.
		RestoredFile.write(this.disk, this.layout, new Restored(Instant.now(), after));
		StoreIdentity identity = StoreCreation.createLog(this.disk, this.layout, INDEX);
		SnapshotHeader header = new SnapshotHeader(identity.id(), INDEX, Instant.now());
		try (SnapshotOutput output = new SnapshotOutput(this.disk, this.layout.snapshot(INDEX), header,
				SnapshotOutput.Publication.ALONE)) {
			this.backup.copyTo(output);
			output.commit();
		}
		identity.write(this.disk, this.layout);
	}

}
