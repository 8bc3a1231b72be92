package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import io.statestore.broker.storage.HistoryRetention;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log's past: segments and snapshots that later snapshots have replaced. These files
 * are kept in a separate directory so that startup does not depend on them. For each
 * snapshot, a file with the suffix {@code .changes} contains {@linkplain Notes notes}
 * about the entries between this snapshot and the next. Such a snapshot is called the
 * <em>base</em> of these entries. Thread-safe.
 */
public final class LogHistory {

	private static final Logger logger = LoggerFactory.getLogger(LogHistory.class);

	private static final long MAGIC = 0x53_54_41_54_45_43_48_47L;

	/** Size of a notes file, in bytes, not including the runs and the content. */
	private static final int FRAME_BYTES = 48;

	private static final Pattern NOTES_NAME = Pattern.compile("0[0-8]\\d{18}\\.changes");

	private final Disk disk;

	private final StoreLayout layout;

	private final StoreIdentity identity;

	private final HistoryRetention retention;

	private final Path directory;

	/**
	 * Index of the first entry in the last compacted segment. Segments retired by an
	 * earlier process are not compacted.
	 */
	private long compacted;

	LogHistory(Disk disk, StoreLayout layout, StoreIdentity identity, HistoryRetention retention) throws IOException {
		this.disk = disk;
		this.layout = layout;
		this.identity = identity;
		this.retention = retention;
		this.directory = layout.history();
		disk.createDirectories(this.directory);
		this.compacted = disk.list(this.directory)
			.stream()
			.filter(StoreLayout::isSegment)
			.mapToLong(StoreLayout::index)
			.max()
			.orElse(0);
	}

	/** Moves a segment or snapshot that the log no longer needs into the history. */
	void retire(Path file) throws IOException {
		this.disk.rename(file, this.directory.resolve(file.getFileName()));
	}

	/**
	 * Adds a snapshot from another directory to the history, unless the history already
	 * has it.
	 * @param file the file, named as in {@link SnapshotFile#name}. It may be deleted
	 * afterward
	 * @throws IOException if the directory cannot be changed
	 */
	public void keep(Path file) throws IOException {
		Path kept = this.directory.resolve(file.getFileName());
		if (!this.disk.exists(kept)) {
			this.disk.link(file, kept);
			this.disk.forceDirectory(this.directory);
		}
	}

	/**
	 * Returns the log's identity.
	 * @return a random identity
	 */
	public UUID id() {
		return this.identity.id();
	}

	/**
	 * Writes the notes about the entries between a snapshot and the next, and forces them
	 * to disk.
	 * @param base index of the snapshot, 0 for the beginning of the log
	 * @param notes the notes to write
	 * @throws IOException if the file cannot be written
	 */
	public void writeNotes(long base, Notes notes) throws IOException {
		int size = FRAME_BYTES + notes.runs.bytes() + notes.content.remaining();
		ByteBuffer bytes = StoreIdentity.begin(size, MAGIC, this.identity.id()).putLong(base).putLong(notes.next);
		notes.runs.encode(bytes);
		StoreFiles.write(this.disk, notesFile(base), Checksums.seal(bytes.put(notes.content.duplicate())));
	}

	/**
	 * Removes the notes about the entries after a snapshot, and all later notes and
	 * snapshots.
	 * @param base index of the snapshot
	 * @throws IOException if a file cannot be removed
	 */
	public void removeFrom(long base) throws IOException {
		for (Path file : this.disk.list(this.directory)) {
			boolean notes = NOTES_NAME.matcher(file.getFileName().toString()).matches();
			if (isNotesOrSnapshot(file) && StoreLayout.index(file) >= (notes ? base : base + 1)) {
				this.disk.delete(file);
			}
		}
	}

	private Path notesFile(long base) {
		return this.directory.resolve(String.format(Locale.ROOT, "%020d.changes", base));
	}

	/**
	 * Returns the snapshots for which notes were written, in ascending order.
	 * @return indexes of the snapshots, 0 for the beginning of the log
	 * @throws IOException if the directory cannot be read
	 */
	public List<Long> bases() throws IOException {
		return this.disk.list(this.directory)
			.stream()
			.filter((file) -> NOTES_NAME.matcher(file.getFileName().toString()).matches())
			.map(StoreLayout::index)
			.toList();
	}

	/**
	 * Reads the notes about the entries after a snapshot.
	 * @param base index of the snapshot
	 * @return the notes
	 * @throws IOException if the file cannot be read
	 * @throws DamagedLogException if it is damaged
	 */
	public Notes readNotes(long base) throws IOException {
		Path path = notesFile(base);
		try (DiskFile file = this.disk.read(path)) {
			ByteBuffer bytes = this.identity.read(path, file, MAGIC, Math.toIntExact(file.size()));
			// Skips the base, which is also in the file name.
			bytes.getLong();
			long next = bytes.getLong();
			EntryRuns runs = EntryRuns.decode(bytes);
			return new Notes(next, runs, bytes.slice(bytes.position(), bytes.remaining() - Integer.BYTES));
		}
	}

	/**
	 * Opens a snapshot from the log or its history.
	 * @param base index of the snapshot
	 * @param id identity in the snapshot header; in a cluster, the cluster's identity
	 * @return the snapshot, which the caller must close
	 * @throws IOException if the snapshot cannot be read
	 * @throws DamagedLogException if the snapshot is damaged
	 */
	public SnapshotInput snapshot(long base, UUID id) throws IOException {
		Path path = this.layout.snapshot(base);
		StoreIdentity identity = new StoreIdentity(id, null);
		try {
			return SnapshotInput.open(this.disk, path, identity);
		}
		catch (NoSuchFileException ex) {
			return SnapshotInput.open(this.disk, this.directory.resolve(path.getFileName()), identity);
		}
	}

	/**
	 * Opens the segment that contains an entry, to read this entry and all later entries.
	 * @param index index of the entry in the log
	 * @return a reader that starts at the beginning of the segment and must be closed by
	 * the caller, or {@code null} if the segment is missing
	 * @throws IOException if the entries cannot be read
	 * @throws DamagedLogException if the entries are damaged
	 */
	public @Nullable EntryReader entries(long index) throws IOException {
		try {
			return new EntryReader(this, index);
		}
		catch (NoSuchFileException ex) {
			return null;
		}
	}

	/** Opens the segment that contains an entry, in the log or in the history. */
	SegmentReader segment(long index, ByteBuffer window) throws IOException {
		Path path = null;
		for (Path file : segments()) {
			if (StoreLayout.index(file) <= index
					&& (path == null || StoreLayout.index(file) > StoreLayout.index(path))) {
				path = file;
			}
		}
		if (path == null) {
			throw new NoSuchFileException(this.layout.segment(index).toString());
		}
		try {
			return SegmentReader.open(this.disk, path, this.identity, window);
		}
		catch (NoSuchFileException ex) {
			// The segment was retired in the meantime.
			return SegmentReader.open(this.disk, this.directory.resolve(path.getFileName()), this.identity, window);
		}
	}

	/** Returns whether a segment begins with an entry. */
	boolean hasSegment(long index) {
		Path path = this.layout.segment(index);
		return this.disk.exists(path) || this.disk.exists(this.directory.resolve(path.getFileName()));
	}

	private List<Path> segments() throws IOException {
		// Lists the log first: a segment may be moved to the history in the meantime, but
		// never back.
		List<Path> files = new ArrayList<>(this.layout.segments(this.disk));
		this.disk.list(this.directory).stream().filter(StoreLayout::isSegment).forEach(files::add);
		return files;
	}

	/**
	 * Drops entries from the segments that were retired since the last call, or since the
	 * log was opened.
	 * @param kept returns whether an entry is still needed; may consume the buffer
	 * @throws IOException if a segment cannot be rewritten, for example because the disk
	 * is full
	 */
	public synchronized void compact(Predicate<ByteBuffer> kept) throws IOException {
		List<Path> retired = this.disk.list(this.directory)
			.stream()
			.filter((file) -> StoreLayout.isSegment(file) && StoreLayout.index(file) > this.compacted)
			.toList();
		for (int i = 0; i < retired.size(); i++) {
			long next = (i + 1 < retired.size()) ? StoreLayout.index(retired.get(i + 1)) : firstInLog();
			new SegmentCompaction(this.disk, this.identity, kept).compact(retired.get(i), next);
			this.compacted = StoreLayout.index(retired.get(i));
		}
	}

	private long firstInLog() throws IOException {
		return StoreLayout.index(this.layout.segments(this.disk).get(0));
	}

	/**
	 * Removes the oldest files that exceed the retention, always up to a snapshot.
	 * @param latest index of the latest snapshot
	 * @param place index of the first entry after it in the log
	 * @param snapshotId identity in the snapshot headers
	 * @throws IOException if the directory cannot be read or changed
	 */
	public synchronized void retain(long latest, long place, UUID snapshotId) throws IOException {
		Instant oldest = Instant.now().minus(this.retention.time());
		List<Long> bases = bases().stream().filter((base) -> base < latest).toList();
		for (int i = 0; i < bases.size(); i++) {
			removeUpTo(bases.get(i), place(bases.get(i)));
			long next = (i + 1 < bases.size()) ? bases.get(i + 1) : latest;
			if (bytes(latest) <= this.retention.bytes() && time(next, snapshotId).isAfter(oldest)) {
				return;
			}
		}
		removeUpTo(latest, place);
	}

	/** Returns the place of the first entry after a snapshot, 0 if it is unknown. */
	private long place(long base) throws IOException {
		try {
			return readNotes(base).runs().place(base + 1);
		}
		catch (LogException ex) {
			logger.warn("Cannot read the versions of the changes after entry {}. Check the disk", base, ex);
			return 0;
		}
	}

	/** Returns the time of a snapshot, {@link Instant#MIN} if it cannot be read. */
	private Instant time(long snapshot, UUID snapshotId) throws IOException {
		try (SnapshotInput input = snapshot(snapshot, snapshotId)) {
			return input.time();
		}
		catch (NoSuchFileException | LogException ex) {
			logger.warn("Removing the history before entry {}, because the snapshot of this entry cannot be read. "
					+ "Check the disk", snapshot, ex);
			return Instant.MIN;
		}
	}

	/**
	 * Returns the size of all files except the latest snapshot, which the log needs, in
	 * bytes.
	 */
	private long bytes(long latest) throws IOException {
		Path snapshot = this.layout.snapshot(latest).getFileName();
		long bytes = 0;
		for (Path path : this.disk.list(this.directory)) {
			if (!path.endsWith(snapshot)) {
				try (DiskFile file = this.disk.read(path)) {
					bytes += file.size();
				}
			}
		}
		return bytes;
	}

	private static boolean isNotesOrSnapshot(Path file) {
		String name = file.getFileName().toString();
		return NOTES_NAME.matcher(name).matches() || StoreLayout.SNAPSHOT_NAME.matcher(name).matches();
	}

	/**
	 * Removes the files that are only needed for entries up to a snapshot or for earlier
	 * snapshots.
	 * @param place index of the first entry after the snapshot in the log
	 */
	private void removeUpTo(long snapshot, long place) throws IOException {
		Path previous = null;
		for (Path file : this.disk.list(this.directory)) {
			if (!StoreLayout.isSegment(file)) {
				if (isNotesOrSnapshot(file) && StoreLayout.index(file) < snapshot) {
					this.disk.delete(file);
				}
			}
			else if (StoreLayout.index(file) <= place) {
				// This segment begins at or before the first entry to keep, so the
				// previous segment has no entries to keep.
				if (previous != null) {
					this.disk.delete(previous);
				}
				previous = file;
			}
		}
	}

	/**
	 * Notes about the entries between two snapshots.
	 *
	 * @param next index of the second snapshot
	 * @param runs places of the entries in the log
	 * @param content the caller's data about the entries, in its own format
	 */
	public record Notes(long next, EntryRuns runs, ByteBuffer content) {
	}

}
