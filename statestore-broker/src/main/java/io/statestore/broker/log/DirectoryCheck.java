package io.statestore.broker.log;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/** One reading of all files of a store. */
final class DirectoryCheck {

	private static final String NEXT_STEP = ". Restore a backup into an empty directory";

	/** Readings of a directory that a process changes meanwhile. */
	private static final int TRIES = 5;

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final Disk disk;

	private final StoreLayout layout;

	private final List<String> problems = new ArrayList<>();

	private @Nullable StoreIdentity identity;

	private long snapshotIndex;

	private long snapshotBytes;

	private @Nullable LogEnd end;

	private DirectoryCheck(Disk disk, StoreLayout layout) {
		this.disk = disk;
		this.layout = layout;
	}

	/**
	 * Reads a store. A process that serves the directory may delete a file, or be within
	 * a write, while it is read. Problems are therefore reported only if they last.
	 */
	static CheckReport run(Disk disk, StoreLayout layout) throws IOException {
		for (int tries = 1;; tries++) {
			try {
				CheckReport report = new DirectoryCheck(disk, layout).run();
				if (tries == TRIES || report.isIntact() && report.discardedBatches() == 0) {
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

	private CheckReport run() throws IOException {
		requireStore(this.disk, this.layout);
		attempt(() -> this.identity = StoreIdentity.read(this.disk, this.layout));
		StoreIdentity identity = this.identity;
		if (identity != null) {
			attempt(() -> RestoredFile.read(this.disk, this.layout));
			attempt(() -> readSnapshot(identity));
			attempt(() -> this.end = new LogReader(this.disk, this.layout, identity, this.snapshotIndex,
					ForcedEnd.read(this.disk, this.layout, identity))
				.read((segment, position, firstIndex, skipped, entries) -> {
				}, (bytesDone, bytesTotal) -> {
				}));
		}
		return report();
	}

	/** Refuses a directory without any file of a store. */
	private static void requireStore(Disk disk, StoreLayout layout) {
		if (disk.exists(layout.directory().resolve("node"))) {
			throw new StoreDirectoryException("Directory " + layout.directory()
					+ " belongs to a node of a cluster, not to "
					+ "a single store. The node verifies its files itself, and logs damage: start it, and see 'cluster "
					+ "status'");
		}
		if (!disk.exists(layout.store()) && !disk.exists(layout.log())) {
			throw new StoreDirectoryException("Directory " + layout.directory()
					+ " is not that of a store: it has no file '" + StoreLayout.STORE + "'. Check the path");
		}
	}

	/** Refuses a directory with a log, but without the file with the identity. */
	private static void requireIdentity(Disk disk, StoreLayout layout) {
		if (!disk.exists(layout.store())) {
			throw new StoreDirectoryException("File " + layout.store() + " is missing. If the store does not start "
					+ "either, restore a backup into an empty directory");
		}
	}

	private void attempt(Step step) throws IOException {
		try {
			step.run();
		}
		catch (DamagedLogException ex) {
			this.problems.add(ex.description() + NEXT_STEP);
		}
		catch (StoreDirectoryException ex) {
			this.problems.add(ex.getMessage());
		}
	}

	private void readSnapshot(StoreIdentity identity) throws IOException {
		Path path = Snapshots.newest(this.disk, this.layout);
		if (path == null) {
			return;
		}
		this.snapshotIndex = StoreLayout.index(path);
		try (SnapshotInput input = SnapshotInput.open(this.disk, path, identity)) {
			this.snapshotBytes = input.bytes();
			// Verifies the checksums.
			input.transferTo(OutputStream.nullOutputStream());
		}
	}

	private CheckReport report() throws IOException {
		StoreIdentity identity = this.identity;
		LogEnd end = this.end;
		boolean torn = end != null && end.remains().bytes() > 0;
		return new CheckReport(this.layout.directory(), (identity != null) ? identity.id() : null,
				(identity != null) ? identity.created() : null, this.snapshotIndex, this.snapshotBytes,
				LogReader.segments(this.disk, this.layout).size(), (end != null) ? end.batches() : 0,
				(end != null) ? end.lastIndex() : this.snapshotIndex, (end != null && torn) ? end.file() : null,
				(end != null && torn) ? end.position() : 0, (end != null) ? end.remains().bytes() : 0,
				(end != null) ? end.remains().batches() : 0, List.copyOf(this.problems));
	}

	/** Part of a check. */
	@FunctionalInterface
	private interface Step {

		void run() throws IOException;

	}

}
