package io.statestore.broker.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the log at the start, and makes it ready for appending. */
final class LogRecovery {

	private static final Logger logger = LoggerFactory.getLogger(LogRecovery.class);

	private final Disk disk;

	private final StoreLayout layout;

	private final StoreIdentity identity;

	private final long snapshotIndex;

	private final ForcedEnd forced;

	private final DiscardedFiles discarded;

	LogRecovery(LockedStore store, long snapshotIndex) throws IOException {
		this.disk = store.disk();
		this.layout = store.layout();
		this.identity = store.identity();
		this.snapshotIndex = snapshotIndex;
		this.forced = ForcedEnd.read(this.disk, this.layout, this.identity);
		this.discarded = new DiscardedFiles(this.disk, this.layout);
	}

	/**
	 * Reads all batches behind the snapshot.
	 * @return where the log ends
	 * @throws DamagedLogException if a file is damaged or missing
	 */
	LogEnd read(RecordConsumer consumer, ReplayProgress progress) throws IOException {
		LogEnd end = new LogReader(this.disk, this.layout, this.identity, this.snapshotIndex, this.forced)
			.read(consumer, progress);
		warn(end);
		return end;
	}

	/**
	 * Forces what was read to the disk, and removes what follows it.
	 * @return the segments, ready for appending
	 */
	LogSegments segments(LogEnd end) throws IOException {
		Map<Long, Long> earlier = earlier(end);
		Segment active = repair(end);
		try {
			return new LogSegments(this.disk, this.layout, earlier, active,
					ForcedFile.open(this.disk, this.layout, this.identity.id(), this.forced), end.lastIndex());
		}
		catch (IOException ex) {
			active.closeQuietly();
			throw ex;
		}
	}

	private Segment repair(LogEnd end) throws IOException {
		this.discarded.moveAside(end);
		this.disk.forceDirectory(this.layout.log());
		for (LogEnd.Part part : end.unconfirmed()) {
			try (DiskFile file = this.disk.open(part.file())) {
				Segment.rewrite(file, part.start(), part.end());
			}
		}
		DiskFile file = this.disk.open(end.file());
		try {
			Segment segment = new Segment(end.file(), end.header(), file, end.position());
			segment.clear(this.discarded.copiedBytes(end.file()));
			this.discarded.finish(end);
			return segment;
		}
		catch (IOException | RuntimeException ex) {
			file.close();
			throw ex;
		}
	}

	private void warn(LogEnd end) {
		if (end.discardedBatches() > 0) {
			logger.warn("""
					A write at position {} of {} is incomplete, and {} intact batches follow it. \
					They cannot be applied without it, and are moved to files '*{}' in {}. \
					This is normal after a power failure with fsync=interval or never. Otherwise, check the disk. \
					Delete the files if you do not need them; a later start that discards batches replaces them""",
					end.position(), end.file(), end.discardedBatches(), DiscardedFiles.SUFFIX, this.layout.log());
		}
		else if (end.tornBytes() > 0) {
			logger.warn("Cut off an incomplete write of {} bytes at position {} of {}. This is normal after a crash",
					end.tornBytes(), end.position(), end.file());
		}
	}

	/** Returns the sizes of the segments before the one with the end, by first index. */
	private Map<Long, Long> earlier(LogEnd end) throws IOException {
		Map<Long, Long> sizes = new HashMap<>();
		List<Path> segments = LogReader.segments(this.disk, this.layout);
		for (Path earlier : segments.subList(0, segments.indexOf(end.file()))) {
			try (DiskFile file = this.disk.read(earlier)) {
				sizes.put(StoreLayout.index(earlier), file.size());
			}
		}
		return sizes;
	}

}
