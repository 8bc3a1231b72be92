package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.log.LogEnd.Remains;
import io.statestore.broker.log.RecordFormat.RecordHeader;

/**
 * Reads the log behind a snapshot and decides where it ends.
 * <p>
 * The log ends at the first record that is not intact, unless the record was once on the
 * disk. A later segment shows this, because a segment is on the disk before the next one
 * is created. In the last segment, later records show it: each contains the last index
 * that was on the disk when it was written. For the last records, the file {@code forced}
 * does. If any of these indexes is at least that of the record, the log is damaged.
 */
final class LogReader {

	private final StoreFiles files;

	private final long snapshotIndex;

	private final ForcedEnd forced;

	private final RecordConsumer consumer;

	private final ReplayProgress progress;

	private final ByteBuffer window = SegmentReader.window();

	/** Bytes of all segments to read. */
	private long total;

	/** Bytes of the segments before the current one. */
	private long done;

	/** Index of the next entry. */
	private long next;

	/** Position in the current segment. */
	private long position;

	/**
	 * Position in the current segment before which everything was on the disk when a
	 * later record was written.
	 */
	private long confirmed;

	private long batches;

	private long bytes;

	/** Whether the latest record is the mark of a clean close. */
	private boolean marked;

	/**
	 * Creates a reader of all batches.
	 * @param forced what was on the disk before this reader was created
	 */
	LogReader(StoreFiles files, long snapshotIndex, ForcedEnd forced, RecordConsumer consumer,
			ReplayProgress progress) {
		this.files = files;
		this.snapshotIndex = snapshotIndex;
		this.forced = forced;
		this.consumer = consumer;
		this.progress = progress;
	}

	/** Returns the names of all segments, in the order of their indexes. */
	static List<Path> segments(Disk disk, StoreLayout layout) throws IOException {
		if (!disk.exists(layout.log())) {
			return List.of();
		}
		return disk.list(layout.log()).stream().filter(LogReader::isSegment).toList();
	}

	static boolean isSegment(Path path) {
		return StoreLayout.SEGMENT_NAME.matcher(path.getFileName().toString()).matches();
	}

	/** Reads the headers of the segments that have entries behind the snapshot. */
	private List<SegmentFile> headers() throws IOException {
		List<Path> paths = segments(this.files.disk(), this.files.layout());
		int first = paths.size() - 1;
		while (first >= 0 && StoreLayout.index(paths.get(first)) > this.snapshotIndex + 1) {
			first--;
		}
		if (first < 0) {
			throw new DamagedLogException(this.files.layout().segment(this.snapshotIndex + 1), 0,
					"this file, or an earlier one with the entry " + (this.snapshotIndex + 1) + ", is missing");
		}
		List<SegmentFile> segments = new ArrayList<>();
		for (Path path : paths.subList(first, paths.size())) {
			try (DiskFile file = this.files.disk().read(path)) {
				SegmentHeader header = SegmentHeader.read(path, file, this.files.identity());
				if (!segments.isEmpty()) {
					requireNoGap(path, segments.get(segments.size() - 1).header(), header);
				}
				this.forced.verify(path, header.firstIndex(), file.size());
				segments.add(new SegmentFile(path, header, file.size()));
			}
		}
		return segments;
	}

	/**
	 * Verifies that no segment is missing between two. The name of a segment is on the
	 * disk before its successor is created.
	 */
	private void requireNoGap(Path path, SegmentHeader previous, SegmentHeader header) {
		if (header.previousIndex() != previous.firstIndex()) {
			throw new DamagedLogException(this.files.layout().segment(header.previousIndex()), 0,
					"this file is missing, although the log continues in " + path.getFileName());
		}
	}

	/** A segment whose header was read. */
	private record SegmentFile(Path path, SegmentHeader header, long size) {
	}

	/**
	 * Reads the log once.
	 * @return where it ends
	 * @throws DamagedLogException if a file is damaged or missing
	 */
	LogEnd read() throws IOException {
		List<SegmentFile> segments = headers();
		this.total = segments.stream().mapToLong(SegmentFile::size).sum();
		this.next = segments.get(0).header().firstIndex();
		for (int number = 0;; number++) {
			SegmentFile file = segments.get(number);
			try (SegmentReader segment = SegmentReader.open(this.files.disk(), file.path(), this.files.identity(),
					this.window)) {
				if (number + 1 == segments.size()) {
					return readLast(segment);
				}
				readComplete(segment, segments.get(number + 1));
			}
			this.done += file.size();
		}
	}

	private LogEnd readLast(SegmentReader segment) throws IOException {
		readRecords(segment, Long.MAX_VALUE);
		Remains remains = segment.search(this.position);
		long forcedIndex = Math.max(this.snapshotIndex, Math.max(this.forced.index(), remains.forcedIndex()));
		if (forcedIndex >= this.next) {
			throw unreadable(segment, "the log had entries up to " + forcedIndex + " on the disk");
		}
		return new LogEnd(segment.path(), segment.header(), this.confirmed, this.position, remains, this.next - 1,
				this.batches, this.bytes, this.marked);
	}

	private void readComplete(SegmentReader segment, SegmentFile following) throws IOException {
		long end = following.header().previousEnd();
		readRecords(segment, end);
		if (this.position < end) {
			throw unreadable(segment, "the log continues in " + following.path().getFileName());
		}
		if (this.position != end || this.next != following.header().firstIndex()) {
			throw new DamagedLogException(segment.path(), this.position, "it ends with entry " + (this.next - 1)
					+ ", but the next segment begins with entry " + following.header().firstIndex());
		}
	}

	private DamagedLogException unreadable(SegmentReader segment, String evidence) {
		return new DamagedLogException(segment.path(), this.position,
				"entry " + this.next + " cannot be read, although " + evidence);
	}

	/** Reads the records before a position, up to one that is not intact. */
	private void readRecords(SegmentReader segment, long end) throws IOException {
		this.position = SegmentHeader.BYTES;
		this.confirmed = this.position;
		while (this.position < end) {
			RecordHeader record = segment.read(this.position, this.next);
			if (record == null) {
				return;
			}
			if (record.isContinuation()) {
				throw new DamagedLogException(this.files.layout().segment(this.next), 0,
						"this file is missing, although the log continues in it");
			}
			if (record.forcedIndex() >= this.next - 1) {
				this.confirmed = this.position;
			}
			deliver(segment, record);
		}
	}

	private void deliver(SegmentReader segment, RecordHeader record) throws IOException {
		long known = Math.max(0, this.snapshotIndex + 1 - record.firstIndex());
		if (known < record.count()) {
			var entries = segment.entries(this.position, record);
			this.consumer.accept(segment.header(), this.position, record.firstIndex() + known, (int) known,
					entries.subList((int) known, entries.size()));
			this.batches++;
			this.bytes += record.bytes();
		}
		this.marked = record.count() == 0 && record.bodyBytes() == 0;
		this.next = record.lastIndex() + 1;
		this.position += record.bytes();
		this.progress.replayed(this.done + this.position, this.total);
	}

}
