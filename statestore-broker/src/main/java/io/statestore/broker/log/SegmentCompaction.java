package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Predicate;

import io.statestore.broker.log.RecordFormat.RecordHeader;

/**
 * Rewrites a segment in the history, replacing entries that are no longer needed with
 * empty entries, so that all others keep their indexes. The new file atomically replaces
 * the old file.
 */
final class SegmentCompaction {

	/**
	 * A new file is kept only if it saves at least one part in this many of a segment's
	 * size.
	 */
	private static final int MIN_SAVED_PART = 8;

	private final Disk disk;

	private final StoreIdentity identity;

	private final Predicate<ByteBuffer> kept;

	SegmentCompaction(Disk disk, StoreIdentity identity, Predicate<ByteBuffer> kept) {
		this.disk = disk;
		this.identity = identity;
		this.kept = kept;
	}

	/**
	 * Compacts a segment unless that would save little space.
	 * @param next index of the next segment's first entry
	 */
	void compact(Path path, long next) throws IOException {
		Path temporary = StoreLayout.temporary(path);
		this.disk.delete(temporary);
		long saved;
		try (SegmentReader segment = SegmentReader.open(this.disk, path, this.identity, SegmentReader.window());
				DiskFile file = this.disk.create(temporary)) {
			saved = segment.size() - copy(segment, file, next);
			if (saved < segment.size() / MIN_SAVED_PART) {
				saved = 0;
			}
			else {
				file.force();
			}
		}
		if (saved > 0) {
			this.disk.rename(temporary, path);
		}
		else {
			this.disk.delete(temporary);
		}
	}

	/** Copies the entries before the next segment, and returns the size of the copy. */
	private long copy(SegmentReader segment, DiskFile file, long next) throws IOException {
		RecordFormat format = new RecordFormat(segment.header());
		EntryBatch batch = new EntryBatch();
		file.write(segment.header().encode(), 0);
		long end = SegmentHeader.BYTES;
		long position = SegmentHeader.BYTES;
		for (long index = segment.header().firstIndex(); index < next;) {
			RecordHeader record = segment.read(position, index);
			if (record == null) {
				throw new DamagedLogException(segment.path(), position, "entry " + index + " cannot be read");
			}
			for (ByteBuffer entry : segment.entries(position, record)) {
				batch.add(this.kept.test(entry) ? entry : ByteBuffer.allocate(0));
			}
			if (batch.count() > 0) {
				file.write(batch.seal(format, index, record.forcedIndex()), end);
				end += batch.recordBytes();
				batch.clear();
			}
			position += record.bytes();
			index = record.lastIndex() + 1;
		}
		return end;
	}

}
