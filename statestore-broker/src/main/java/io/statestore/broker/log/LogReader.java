package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.log.LogEnd.Part;
import io.statestore.broker.log.LogEnd.Remains;
import io.statestore.broker.log.RecordFormat.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log behind a snapshot and decides where it ends.
 * <p>
 * The log ends at the first record that is not intact, unless the record was once on the
 * disk. Later records and segment headers show this: each contains the last index that
 * was on the disk when it was written. For the last records, the file {@code forced}
 * does. If any of these indexes is at least that of the record, the log is damaged.
 */
final class LogReader {

	private final Disk disk;

	private final StoreLayout layout;

	private final StoreIdentity identity;

	private final long snapshotIndex;

	private final ForcedEnd forced;

	/**
	 * Creates a reader.
	 * @param forced what was on the disk before this reader was created
	 */
	LogReader(Disk disk, StoreLayout layout, StoreIdentity identity, long snapshotIndex, ForcedEnd forced) {
		this.disk = disk;
		this.layout = layout;
		this.identity = identity;
		this.snapshotIndex = snapshotIndex;
		this.forced = forced;
	}

	/**
	 * Reads all batches.
	 * @return where the log ends
	 * @throws DamagedLogException if a file is damaged or missing
	 */
	LogEnd read(RecordConsumer consumer, ReplayProgress progress) throws IOException {
		return new Pass(headers(), consumer, progress).run();
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
		List<Path> paths = segments(this.disk, this.layout);
		int first = paths.size() - 1;
		while (first >= 0 && StoreLayout.index(paths.get(first)) > this.snapshotIndex + 1) {
			first--;
		}
		if (first < 0) {
			throw new DamagedLogException(this.layout.segment(this.snapshotIndex + 1), 0,
					"this file, or an earlier one with the entry " + (this.snapshotIndex + 1) + ", is missing");
		}
		List<SegmentFile> segments = new ArrayList<>();
		for (Path path : paths.subList(first, paths.size())) {
			try (DiskFile file = this.disk.read(path)) {
				SegmentHeader header = SegmentHeader.read(path, file, this.identity);
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
			throw new DamagedLogException(this.layout.segment(header.previousIndex()), 0,
					"this file is missing, although the log continues in " + path.getFileName());
		}
	}

	/** A segment whose header was read. */
	private record SegmentFile(Path path, SegmentHeader header, long size) {
	}

	/** One pass over the log. */
	private final class Pass {

		private final List<SegmentFile> segments;

		private final ByteBuffer window = SegmentReader.window();

		private final RecordConsumer consumer;

		private final ReplayProgress progress;

		private final long total;

		/** Bytes of the segments before the current one. */
		private long done;

		private long next;

		/** Position in the current segment. */
		private long position;

		private long batches;

		private long bytes;

		/** Whether the latest record has no entries. */
		private boolean marked;

		/**
		 * Position before which everything was on the disk when a later record was
		 * written, also in earlier segments.
		 */
		private long confirmed;

		/** Segment that {@link #confirmed} belongs to. */
		private int confirmedSegment;

		Pass(List<SegmentFile> segments, RecordConsumer consumer, ReplayProgress progress) {
			this.segments = segments;
			this.consumer = consumer;
			this.progress = progress;
			this.total = segments.stream().mapToLong(SegmentFile::size).sum();
			this.next = segments.get(0).header().firstIndex();
			this.confirmed = SegmentHeader.BYTES;
		}

		LogEnd run() throws IOException {
			int last = 0;
			while (readSegment(last) && last + 1 < this.segments.size()) {
				this.done += this.segments.get(last).size();
				last++;
			}
			return end(last);
		}

		/** Reads a segment and returns whether it is complete. */
		private boolean readSegment(int number) throws IOException {
			this.position = SegmentHeader.BYTES;
			if (this.segments.get(number).header().forcedIndex() >= this.next - 1) {
				confirm(number);
			}
			try (SegmentReader segment = open(number)) {
				return readRecords(number, segment, following(number));
			}
		}

		private SegmentReader open(int number) throws IOException {
			return SegmentReader.open(LogReader.this.disk, this.segments.get(number).path(), LogReader.this.identity,
					this.window);
		}

		private boolean readRecords(int number, SegmentReader segment, @Nullable SegmentHeader following)
				throws IOException {
			while (following == null || this.position < following.previousEnd()) {
				RecordHeader record = segment.read(this.position, this.next);
				if (record == null) {
					return false;
				}
				if (record.isContinuation()) {
					throw new DamagedLogException(LogReader.this.layout.segment(this.next), 0,
							"this file is missing, although the log continues in it");
				}
				if (record.forcedIndex() >= this.next - 1) {
					confirm(number);
				}
				deliver(segment, record);
			}
			if (this.position != following.previousEnd() || this.next != following.firstIndex()) {
				throw new DamagedLogException(segment.path(), this.position, "it ends with entry " + (this.next - 1)
						+ ", but the next segment begins with entry " + following.firstIndex());
			}
			return true;
		}

		private @Nullable SegmentHeader following(int number) {
			return (number + 1 < this.segments.size()) ? this.segments.get(number + 1).header() : null;
		}

		private void confirm(int number) {
			this.confirmed = this.position;
			this.confirmedSegment = number;
		}

		private void deliver(SegmentReader segment, RecordHeader record) throws IOException {
			long known = Math.max(0, LogReader.this.snapshotIndex + 1 - record.firstIndex());
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

		/** Distinguishes the end of the log from damage. */
		private LogEnd end(int last) throws IOException {
			SegmentFile segment = this.segments.get(last);
			long forcedIndex = Math.max(LogReader.this.snapshotIndex, LogReader.this.forced.index());
			List<Remains> remains = new ArrayList<>();
			for (int number = last; number < this.segments.size(); number++) {
				Remains found = search(number, (number == last) ? this.position : 0);
				remains.add(found);
				forcedIndex = Math.max(forcedIndex, found.forcedIndex());
				if (number > last) {
					forcedIndex = Math.max(forcedIndex, this.segments.get(number).header().forcedIndex());
				}
			}
			if (forcedIndex >= this.next) {
				throw new DamagedLogException(segment.path(), this.position, "entry " + this.next
						+ " cannot be read, although the log had entries up to " + forcedIndex + " on the disk");
			}
			return new LogEnd(this.segments.stream().limit(last + 1L).map(SegmentFile::path).toList(), segment.header(),
					this.position, remains, unconfirmed(last), this.next - 1, this.batches, this.bytes, this.marked);
		}

		private Remains search(int number, long start) throws IOException {
			try (SegmentReader segment = open(number)) {
				return segment.search(start);
			}
		}

		private List<Part> unconfirmed(int last) {
			List<Part> parts = new ArrayList<>();
			for (int number = this.confirmedSegment; number <= last; number++) {
				SegmentHeader following = following(number);
				long start = (number == this.confirmedSegment) ? this.confirmed : SegmentHeader.BYTES;
				long end = (number == last || following == null) ? this.position : following.previousEnd();
				parts.add(new Part(this.segments.get(number).path(), start, end));
			}
			return parts;
		}

	}

}
