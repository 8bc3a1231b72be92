package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Creates a store's files in an empty directory. The {@code store} file is written last,
 * so a store with this file is complete.
 */
final class StoreCreation {

	/** Files that a directory may contain and still count as empty. */
	private static final Set<String> IGNORED = Set.of(StoreLayout.LOCK, StoreLayout.STORE + StoreLayout.TEMPORARY,
			"lost+found");

	private static final Set<String> DATA = Set.of(StoreLayout.LOG, StoreLayout.SNAPSHOT, StoreLayout.FORCED,
			StoreLayout.HISTORY);

	/** Snapshot index in a restored store. The log begins after it. */
	private static final long RESTORED_INDEX = 1;

	private StoreCreation() {
	}

	/** Opens the store in a directory. Creates it if necessary. */
	static StoreFiles openOrCreate(Disk disk, StoreLayout layout) throws IOException {
		StoreIdentity identity;
		if (disk.exists(layout.store())) {
			identity = StoreIdentity.read(disk, layout);
			// If the directory was copied, empty directories may be missing.
			disk.createDirectories(layout.log());
			disk.createDirectories(layout.snapshots());
		}
		else {
			requireEmpty(disk, layout);
			identity = new StoreIdentity(UUID.randomUUID(), null);
			createLog(disk, layout, identity, 0);
			identity.write(disk, layout);
		}
		cleanUp(disk, layout);
		return new StoreFiles(disk, layout, identity);
	}

	/**
	 * Creates a log without entries. The store exists once its identity is written.
	 * @param index index of the snapshot after which the log begins, 0 if there is none
	 */
	static void createLog(Disk disk, StoreLayout layout, StoreIdentity identity, long index) throws IOException {
		disk.createDirectories(layout.log());
		disk.createDirectories(layout.snapshots());
		SegmentHeader header = new SegmentHeader(identity.id(), index + 1, 0, 0, index);
		Segment.create(disk, layout.segment(index + 1), header, 0).close();
		disk.forceDirectory(layout.log());
	}

	/**
	 * Creates a store from a backup, while no other process can use the directory. The
	 * {@code store} file is written last, so that an interrupted restore does not leave a
	 * store behind.
	 */
	static void restore(Disk disk, StoreLayout layout, BackupFile backup, @Nullable Version after) throws IOException {
		Closeable lock = lockEmpty(disk, layout);
		try (lock) {
			StoreIdentity identity = new StoreIdentity(UUID.randomUUID(), new Restored(Instant.now(), after));
			SnapshotHeader header = new SnapshotHeader(identity.id(), RESTORED_INDEX, Instant.now());
			disk.createDirectories(layout.snapshots());
			// Written first, because a snapshot keeps a later start from creating a new
			// store here.
			try (SnapshotOutput output = new SnapshotOutput(disk, layout.snapshot(RESTORED_INDEX), header)) {
				backup.copyTo(output);
				output.commit();
			}
			createLog(disk, layout, identity, RESTORED_INDEX);
			identity.write(disk, layout);
		}
	}

	/**
	 * Rejects a directory that contains data or other files. Deletes empty segments left
	 * by an interrupted creation.
	 * @throws StoreDirectoryException if there is data or another file
	 */
	private static void requireEmpty(Disk disk, StoreLayout layout) throws IOException {
		List<String> others = otherFiles(disk, layout.directory()).stream()
			.filter((name) -> !DATA.contains(name))
			.toList();
		if (!others.isEmpty()) {
			throw new StoreDirectoryException("Directory " + layout.directory() + " is not a store directory and has "
					+ "other files, such as '" + others.get(0) + "'. Use an empty directory");
		}
		// A restore creates the snapshot directory first; creating a new store begins
		// with the log directory.
		boolean restored = disk.exists(layout.snapshots())
				&& (!disk.exists(layout.log()) || !disk.list(layout.snapshots()).isEmpty());
		if (restored || disk.exists(layout.forced())) {
			throw missing(layout);
		}
		List<Path> segments = layout.segments(disk);
		for (Path segment : segments) {
			try (DiskFile file = disk.read(segment)) {
				if (file.size() > SegmentHeader.BYTES) {
					throw missing(layout);
				}
			}
		}
		for (Path segment : segments) {
			disk.delete(segment);
		}
	}

	/**
	 * Creates and locks a directory.
	 * @throws StoreDirectoryException if it contains files or is in use
	 */
	static Closeable lockEmpty(Disk disk, StoreLayout layout) throws IOException {
		disk.createDirectories(layout.directory());
		// Checked before locking, because otherwise a lock file would be left behind in a
		// foreign directory.
		requireNoFiles(disk, layout);
		Closeable lock = disk.lock(layout);
		try {
			requireNoFiles(disk, layout);
			return lock;
		}
		catch (IOException | RuntimeException ex) {
			lock.close();
			throw ex;
		}
	}

	private static void requireNoFiles(Disk disk, StoreLayout layout) throws IOException {
		List<String> others = otherFiles(disk, layout.directory());
		if (!others.isEmpty()) {
			throw new StoreDirectoryException("Directory " + layout.directory() + " has files, such as '"
					+ others.get(0) + "'. Restore into an empty directory");
		}
	}

	/**
	 * Returns the names of all files except those that an empty directory may contain.
	 */
	private static List<String> otherFiles(Disk disk, Path directory) throws IOException {
		return disk.list(directory)
			.stream()
			.map((file) -> file.getFileName().toString())
			.filter((name) -> !IGNORED.contains(name))
			.toList();
	}

	private static StoreDirectoryException missing(StoreLayout layout) {
		return new StoreDirectoryException("File " + layout.store() + " is missing, but directory " + layout.directory()
				+ " has data. Restore a backup into an empty directory");
	}

	/**
	 * Deletes files left by an interrupted process and forces the names of all other
	 * files. A process may have ended after a change, but before forcing it.
	 */
	private static void cleanUp(Disk disk, StoreLayout layout) throws IOException {
		for (Path directory : List.of(layout.directory(), layout.log(), layout.snapshots(), layout.history())) {
			if (!disk.exists(directory)) {
				continue;
			}
			for (Path file : disk.list(directory)) {
				if (file.getFileName().toString().endsWith(StoreLayout.TEMPORARY)) {
					disk.delete(file);
				}
			}
			disk.forceDirectory(directory);
		}
	}

}
