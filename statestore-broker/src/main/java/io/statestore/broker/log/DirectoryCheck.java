package io.statestore.broker.log;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Reads all of a store's files to report damage. */
final class DirectoryCheck {

	/** Maximum number of attempts while a process is changing the directory. */
	private static final int TRIES = 5;

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private DirectoryCheck() {
	}

	/**
	 * Reads a store. A process that is using the directory may delete a file or be
	 * writing to it while it is read. Problems are therefore reported only if they
	 * persist.
	 */
	static CheckReport run(Disk disk, StoreLayout layout) throws IOException {
		for (int tries = 1;; tries++) {
			try {
				CheckReport report = read(disk, layout);
				if (tries == TRIES || report.isIntact()) {
					return report;
				}
			}
			catch (NoSuchFileException ex) {
				if (tries == TRIES) {
					requireIdentity(disk, layout);
					throw ex;
				}
			}
			LockSupport.parkNanos(PAUSE_NANOS);
		}
	}

	private static CheckReport read(Disk disk, StoreLayout layout) throws IOException {
		requireStore(disk, layout);
		try {
			StoreFiles files = new StoreFiles(disk, layout, StoreIdentity.read(disk, layout));
			LogEnd end = new LogReader(files, verifySnapshot(files), ForcedEnd.read(files),
					(segment, position, firstIndex, skipped, entries) -> {
					})
				.read();
			return new CheckReport(layout.directory(), end.lastIndex(), null);
		}
		catch (DamagedLogException ex) {
			return damaged(layout, ex.withNextStep("Restore a backup into an empty directory"));
		}
		catch (StoreDirectoryException ex) {
			return damaged(layout, ex);
		}
	}

	private static CheckReport damaged(StoreLayout layout, LogException damage) {
		return new CheckReport(layout.directory(), 0, damage.getMessage());
	}

	/** Verifies the latest snapshot's checksums and returns its index. */
	private static long verifySnapshot(StoreFiles files) throws IOException {
		Path path = Snapshots.newest(files.disk(), files.layout());
		if (path == null) {
			return 0;
		}
		try (SnapshotInput input = SnapshotInput.open(files.disk(), path, files.identity())) {
			input.transferTo(OutputStream.nullOutputStream());
			return input.index();
		}
	}

	/** Rejects a directory that contains no store files. */
	private static void requireStore(Disk disk, StoreLayout layout) {
		if (disk.exists(layout.directory().resolve("node"))) {
			throw new StoreDirectoryException("Directory " + layout.directory()
					+ " belongs to a node of a cluster, not to "
					+ "a single store. The node verifies its files itself, and logs damage: start it, and see 'cluster "
					+ "status'");
		}
		if (!disk.exists(layout.store()) && !disk.exists(layout.log())) {
			throw new StoreDirectoryException("Directory " + layout.directory()
					+ " is not a store directory: it has no file '" + StoreLayout.STORE + "'. Check the path");
		}
	}

	/**
	 * Rejects a directory that has a log but lacks the file with the store's identity.
	 */
	private static void requireIdentity(Disk disk, StoreLayout layout) {
		if (!disk.exists(layout.store())) {
			throw new StoreDirectoryException("File " + layout.store() + " is missing. If the store does not start "
					+ "either, restore a backup into an empty directory");
		}
	}

}
