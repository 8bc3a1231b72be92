package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The snapshots of a store. */
final class Snapshots {

	private static final Logger logger = LoggerFactory.getLogger(Snapshots.class);

	private final Disk disk;

	private final StoreLayout layout;

	private final StoreIdentity identity;

	private final AtomicBoolean writing = new AtomicBoolean();

	private volatile @Nullable Latest latest;

	Snapshots(Disk disk, StoreLayout layout, StoreIdentity identity) throws IOException {
		this.disk = disk;
		this.layout = layout;
		this.identity = identity;
		Path path = newest(disk, layout);
		if (path != null) {
			try (SnapshotInput input = SnapshotInput.open(disk, path, identity)) {
				this.latest = new Latest(input.index(), input.time(), input.bytes());
			}
		}
	}

	/** Returns the newest snapshot by name, or {@code null} if there is none. */
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
		return (latest != null) ? SnapshotInput.open(this.disk, this.layout.snapshot(latest.index()), this.identity)
				: null;
	}

	/**
	 * Begins a snapshot.
	 * @param publication surrounds the publication of the file
	 */
	SnapshotOutput begin(long index, Publication publication) throws IOException {
		if (!this.writing.compareAndSet(false, true)) {
			throw new IllegalStateException("A snapshot is being written. Close it first");
		}
		SnapshotHeader header = new SnapshotHeader(this.identity.id(), index, Instant.now());
		Path temporary = StoreLayout.temporary(this.layout.snapshot(index));
		DiskFile file = null;
		try {
			this.disk.delete(temporary);
			file = this.disk.create(temporary);
			return new SnapshotOutput(header, file, new Completed(publication));
		}
		catch (IOException | RuntimeException | Error ex) {
			discard(temporary, file);
			throw ex;
		}
	}

	/** Ends a snapshot that was not published. */
	private void discard(Path temporary, @Nullable Closeable file) {
		try {
			if (file != null) {
				file.close();
			}
			this.disk.delete(temporary);
		}
		catch (IOException ex) {
			logger.debug("Cannot delete {}", temporary, ex);
		}
		finally {
			this.writing.set(false);
		}
	}

	private void publish(SnapshotHeader header, long bytes) throws IOException {
		Path path = this.layout.snapshot(header.index());
		this.disk.rename(StoreLayout.temporary(path), path);
		this.disk.forceDirectory(this.layout.snapshots());
		this.latest = new Latest(header.index(), header.time(), bytes);
	}

	/** Deletes what the latest snapshot replaces. A failure costs only space. */
	private void deleteReplaced(Publication publication, long index) {
		try {
			for (Path other : list(this.disk, this.layout)) {
				if (StoreLayout.index(other) < index) {
					this.disk.delete(other);
				}
			}
			publication.after(index);
		}
		catch (IOException ex) {
			logger.warn(
					"Failed to delete files that the snapshot of entry {} replaces; trying again after the next one",
					index, ex);
		}
	}

	/** Effects of a snapshot on the log. */
	interface Publication {

		/** Called when the snapshot is complete, before it can be the latest one. */
		void before();

		/** Called when the snapshot is the latest one. */
		void after(long index) throws IOException;

	}

	/** The latest snapshot. */
	record Latest(long index, Instant time, long bytes) {
	}

	private final class Completed implements SnapshotOutput.Completion {

		private final Publication publication;

		Completed(Publication publication) {
			this.publication = publication;
		}

		@Override
		public void commit(SnapshotHeader header, long bytes) throws IOException {
			this.publication.before();
			publish(header, bytes);
			deleteReplaced(this.publication, header.index());
		}

		@Override
		public void close(SnapshotHeader header, DiskFile file) {
			discard(StoreLayout.temporary(Snapshots.this.layout.snapshot(header.index())), file);
		}

	}

}
