package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import io.statestore.broker.log.RecordFormat.RecordHeader;
import io.statestore.broker.log.StoredEntries.RecordLocation;

/**
 * Reads records in any order and verifies their checksums. Caches the most recently used
 * records, because their other entries are often read next. Thread-safe.
 */
final class RecordReader implements Closeable {

	private static final int MAX_RECORDS = 16;

	/** Maximum size of a cached record, in bytes. */
	private static final int KEPT_BYTES = 1 << 20;

	private final StoreFiles files;

	/** Open segments, by the index of their first entry. */
	private final NavigableMap<Long, SegmentReader> segments = new TreeMap<>();

	/** Cached records, by the index of their first entry. */
	private final Map<Long, List<ByteBuffer>> records = new LinkedHashMap<>(32, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<Long, List<ByteBuffer>> eldest) {
			return size() > MAX_RECORDS;
		}

	};

	RecordReader(StoreFiles files) {
		this.files = files;
	}

	/** Returns a record's entries as read-only buffers. */
	synchronized List<ByteBuffer> read(RecordLocation location) throws IOException {
		List<ByteBuffer> known = this.records.get(location.firstIndex());
		if (known != null) {
			return known;
		}
		SegmentReader segment = segment(location.segment());
		RecordHeader record = segment.read(location.position(), location.firstIndex());
		if (record == null) {
			throw new DamagedLogException(segment.path(), location.position(), "the checksum of a record is wrong");
		}
		List<ByteBuffer> entries = segment.entries(location.position(), record)
			.stream()
			.map(ByteBuffer::asReadOnlyBuffer)
			.toList();
		segment.release();
		if (record.bodyBytes() <= KEPT_BYTES) {
			this.records.put(location.firstIndex(), entries);
		}
		return entries;
	}

	private SegmentReader segment(long firstIndex) throws IOException {
		SegmentReader open = this.segments.get(firstIndex);
		if (open == null) {
			// Each record gets its own buffer, because its entries are cached.
			open = SegmentReader.open(this.files.disk(), this.files.layout().segment(firstIndex), this.files.identity(),
					ByteBuffer.allocate(0));
			this.segments.put(firstIndex, open);
		}
		return open;
	}

	/** Closes the segments before a segment. */
	synchronized void removeBefore(long segment) {
		this.records.clear();
		Map<Long, SegmentReader> earlier = this.segments.headMap(segment);
		earlier.values().forEach((reader) -> StoreFiles.closeQuietly(reader, reader.path()));
		earlier.clear();
	}

	@Override
	public synchronized void close() {
		removeBefore(Long.MAX_VALUE);
	}

}
