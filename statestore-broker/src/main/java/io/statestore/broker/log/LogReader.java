package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.log.LogEnd.Remains;
import io.statestore.broker.log.RecordFormat.RecordHeader;

/**
 * Reads the log at startup and decides where it ends.
 * <p>
 * The log ends at the first record that is not intact. But if that record was forced, the
 * log is damaged. Three things prove that a record was forced:
 * <ul>
 * <li>A later segment exists: a segment is forced before the next segment is created.
 * <li>A later record in the same segment names the record's index, or a greater index, as
 * forced.
 * <li>The {@code forced} file names such an index. Only this file covers the last records
 * in the log.
 * </ul>
 */
final class LogReader {

	private final StoreFiles files;

	/** Index of the last entry that a snapshot contains, or that was removed. */
	private final long coveredIndex;

	private final ForcedEnd forced;

	private final RecordConsumer consumer;

	private final ByteBuffer window = SegmentReader.window();

	/** Index of the next entry. */
	private long nextIndex;

	/** Position in the current segment. */
	private long position;

	/** Position in the current segment up to which everything was forced. */
	private long forcedPosition;

	/** Size of the batches that the consumer has received, in bytes. */
	private long replayedBytes;

	/** Whether the latest record is a clean-close mark. */
	private boolean closedCleanly;

	/**
	 * Creates a reader.
	 * @param coveredIndex index of the last entry that the consumer does not need
	 * @param forced content of the {@code forced} file
	 */
	LogReader(StoreFiles files, long coveredIndex, ForcedEnd forced, RecordConsumer consumer) {
		this.files = files;
		this.coveredIndex = coveredIndex;
		this.forced = forced;
		this.consumer = consumer;
	}

	/**
	 * Reads the segment headers, starting with the segment that contains the first entry
	 * to deliver.
	 */
	private List<SegmentFile> headers() throws IOException {
		List<Path> paths = this.files.layout().segments(this.files.disk());
		int first = paths.size() - 1;
		while (first >= 0 && StoreLayout.index(paths.get(first)) > this.coveredIndex + 1) {
			first--;
		}
		if (first < 0) {
			throw new DamagedLogException(this.files.layout().segment(this.coveredIndex + 1), 0,
					"this file, or an earlier one with the entry " + (this.coveredIndex + 1) + ", is missing");
		}
		List<SegmentFile> segments = new ArrayList<>();
		for (Path path : paths.subList(first, paths.size())) {
			try (DiskFile file = this.files.disk().read(path)) {
				SegmentHeader header = SegmentHeader.read(path, file, this.files.identity());
				if (!segments.isEmpty()) {
					requireNoGap(path, segments.get(segments.size() - 1).header(), header);
				}
				this.forced.verify(path, header.firstIndex(), file.size());
				segments.add(new SegmentFile(path, header));
			}
		}
		return segments;
	}

	/**
	 * Verifies that no segment is missing between two segments. A segment's name is on
	 * disk before its successor is created.
	 */
	private void requireNoGap(Path path, SegmentHeader previous, SegmentHeader header) {
		if (header.previousIndex() != previous.firstIndex()) {
			throw new DamagedLogException(this.files.layout().segment(header.previousIndex()), 0,
					"this file is missing, although the log continues in " + path.getFileName());
		}
	}

	/** A segment whose header was read. */
	private record SegmentFile(Path path, SegmentHeader header) {
	}

	/**
	 * Reads the log once.
	 * @return where it ends
	 * @throws DamagedLogException if a file is damaged or missing
	 */
	LogEnd read() throws IOException {
		List<SegmentFile> segments = headers();
		this.nextIndex = segments.get(0).header().firstIndex();
		for (int number = 0;; number++) {
			SegmentFile file = segments.get(number);
			try (SegmentReader segment = SegmentReader.open(this.files.disk(), file.path(), this.files.identity(),
					this.window)) {
				if (number + 1 == segments.size()) {
					return readLast(segment);
				}
				readEarlier(segment, segments.get(number + 1));
			}
		}
	}

	/** Reads the last segment, whose end must be found. */
	private LogEnd readLast(SegmentReader segment) throws IOException {
		readRecords(segment, Long.MAX_VALUE);
		Remains remains = segment.remains(this.position);
		long forcedIndex = Math.max(this.coveredIndex, Math.max(this.forced.index(), remains.forcedIndex()));
		if (forcedIndex >= this.nextIndex) {
			throw unreadable(segment, "the log had entries up to " + forcedIndex + " on the disk");
		}
		return new LogEnd(segment.path(), segment.header(), this.forcedPosition, this.position, remains,
				this.nextIndex - 1, this.replayedBytes, this.closedCleanly);
	}

	/** Reads a segment whose end is recorded in the following segment's header. */
	private void readEarlier(SegmentReader segment, SegmentFile following) throws IOException {
		long end = following.header().previousEnd();
		readRecords(segment, end);
		if (this.position < end) {
			throw unreadable(segment, "the log continues in " + following.path().getFileName());
		}
		if (this.position != end || this.nextIndex != following.header().firstIndex()) {
			throw new DamagedLogException(segment.path(), this.position, "it ends with entry " + (this.nextIndex - 1)
					+ ", but the next segment begins with entry " + following.header().firstIndex());
		}
	}

	private DamagedLogException unreadable(SegmentReader segment, String evidence) {
		return new DamagedLogException(segment.path(), this.position,
				"entry " + this.nextIndex + " cannot be read, although " + evidence);
	}

	/**
	 * Reads the records before a position, or up to the first record that is not intact.
	 */
	private void readRecords(SegmentReader segment, long end) throws IOException {
		this.position = SegmentHeader.BYTES;
		this.forcedPosition = this.position;
		while (this.position < end) {
			RecordHeader record = segment.read(this.position, this.nextIndex);
			if (record == null) {
				return;
			}
			if (record.isContinuation()) {
				// If another segment followed, the end given by its header would be
				// before this mark.
				throw new DamagedLogException(this.files.layout().segment(this.nextIndex), 0,
						"this file is missing, although the log continues in it");
			}
			if (record.forcedIndex() >= this.nextIndex - 1) {
				// Everything before this record was forced when the record was written.
				this.forcedPosition = this.position;
			}
			deliver(segment, record);
		}
	}

	/**
	 * Delivers those entries of the current record that are not covered.
	 */
	private void deliver(SegmentReader segment, RecordHeader record) throws IOException {
		long skipped = Math.max(0, this.coveredIndex + 1 - record.firstIndex());
		if (skipped < record.count()) {
			var entries = segment.entries(this.position, record);
			this.consumer.accept(segment.header(), this.position, record.firstIndex() + skipped, (int) skipped,
					entries.subList((int) skipped, entries.size()));
			this.replayedBytes += record.bytes();
		}
		this.closedCleanly = record.isCleanClose();
		this.nextIndex = record.lastIndex() + 1;
		this.position += record.bytes();
	}

}
