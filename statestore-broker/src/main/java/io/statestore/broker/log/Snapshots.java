package io.statestore.broker.log;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A store's snapshots: opens the latest snapshot and begins the next. */
final class Snapshots {

	private static final Logger logger = LoggerFactory.getLogger(Snapshots.class);

	private final StoreFiles files;

	private final @Nullable LogHistory history;

	/** Snapshot begun last, open or closed. */
	private @Nullable SnapshotOutput current;

	private volatile @Nullable Latest latest;

	/**
	 * Opens a store's snapshots.
	 * @param history keeps the files that a snapshot replaces, {@code null} to delete
	 * them
	 */
	Snapshots(StoreFiles files, @Nullable LogHistory history) throws IOException {
		this.files = files;
		this.history = history;
		Path path = newest(files.disk(), files.layout());
		if (path != null) {
			try (SnapshotInput input = SnapshotInput.open(files.disk(), path, files.identity())) {
				this.latest = new Latest(input.index(), input.time(), input.bytes(), 0);
			}
		}
	}

	/**
	 * Returns the newest snapshot according to the file names, or {@code null} if there
	 * is none.
	 */
	static @Nullable Path newest(Disk disk, StoreLayout layout) throws IOException {
		List<Path> paths = list(disk, layout);
		return paths.isEmpty() ? null : paths.get(paths.size() - 1);
	}

	private static List<Path> list(Disk disk, StoreLayout layout) throws IOException {
		if (!disk.exists(layout.snapshots())) {
			return List.of();
		}
		return disk.list(layout.snapshots())
			.stream()
			.filter((path) -> StoreLayout.SNAPSHOT_NAME.matcher(path.getFileName().toString()).matches())
			.toList();
	}

	@Nullable Latest latest() {
		return this.latest;
	}

	/** Returns the index of the latest snapshot, 0 if there is none. */
	long index() {
		Latest latest = this.latest;
		return (latest != null) ? latest.index() : 0;
	}

	@Nullable SnapshotInput open() throws IOException {
		Latest latest = this.latest;
		return (latest != null) ? SnapshotInput.open(this.files.disk(), this.files.layout().snapshot(latest.index()),
				this.files.identity()) : null;
	}

	/**
	 * Begins a snapshot.
	 * @param log the log, which publishing the snapshot forces and compacts
	 * @param logBytes total size of the batches in the log, in bytes
	 */
	synchronized SnapshotOutput begin(long index, LogWriter log, long logBytes) throws IOException {
		SnapshotOutput earlier = this.current;
		if (earlier != null && !earlier.isClosed()) {
			throw new IllegalStateException("A snapshot is being written. Close it first");
		}
		SnapshotHeader header = new SnapshotHeader(this.files.identity().id(), index, Instant.now());
		SnapshotOutput output = new SnapshotOutput(this.files.disk(), this.files.layout().snapshot(index), header,
				log::force, (bytes) -> {
					this.latest = new Latest(index, header.time(), bytes, logBytes);
					removeReplaced(log, index);
				});
		this.current = output;
		return output;
	}

	/**
	 * Deletes or retires the files that a snapshot replaces. A failure only wastes space.
	 */
	private void removeReplaced(LogWriter log, long index) {
		try {
			for (Path other : list(this.files.disk(), this.files.layout())) {
				if (StoreLayout.index(other) < index) {
					if (this.history != null) {
						this.history.retire(other);
					}
					else {
						this.files.disk().delete(other);
					}
				}
			}
			log.removeSegments(index, this.history);
		}
		catch (IOException ex) {
			logger
				.warn("Failed to delete files that the snapshot of entry {} replaces, so they still use space; trying "
						+ "again after the next snapshot. Check the permissions of the directory", index, ex);
		}
	}

	/**
	 * The latest snapshot.
	 *
	 * @param logBytes total size of the batches that this process had read and written
	 * when the snapshot began, in bytes
	 */
	record Latest(long index, Instant time, long bytes, long logBytes) {
	}

}
