package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.statestore.broker.log.RecordFormat.RecordHeader;
import io.statestore.broker.log.RecordIndex.Place;
import org.jspecify.annotations.Nullable;

/**
 * Reads records at any place, and verifies their checksums. Keeps the latest ones,
 * because neighbors are often read next. Thread-safe.
 */
final class RecordReader implements Closeable {

	private static final int MAX_RECORDS = 16;

	/** Maximum size of a record that is kept, in bytes. */
	private static final int KEPT_BYTES = 1 << 20;

	private final LockedStore store;

	/** Open segments, by the index of their first entry. */
	private final Map<Long, OpenSegment> segments = new HashMap<>();

	/** Latest records, by the index of their first entry. */
	private final Map<Long, List<ByteBuffer>> records = new LinkedHashMap<>(32, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<Long, List<ByteBuffer>> eldest) {
			return size() > MAX_RECORDS;
		}

	};

	RecordReader(LockedStore store) {
		this.store = store;
	}

	/** Returns the entries of a record. They are read-only. */
	synchronized List<ByteBuffer> read(Place place) throws IOException {
		List<ByteBuffer> known = this.records.get(place.firstIndex());
		if (known != null) {
			return known;
		}
		OpenSegment segment = segment(place.segment());
		ByteBuffer header = ByteBuffer.allocate(RecordFormat.HEADER_BYTES);
		segment.file.read(header, place.position());
		RecordHeader record = segment.format.header(header.flip(), 0);
		if (record == null || record.firstIndex() != place.firstIndex()) {
			throw segment.damaged(place, "the header of a record is wrong");
		}
		ByteBuffer body = ByteBuffer.allocate(record.bodyBytes());
		segment.file.read(body, place.position() + RecordFormat.HEADER_BYTES);
		if (body.flip().limit() != record.bodyBytes() || !segment.format.isBody(body, record)) {
			throw segment.damaged(place, "the checksum of a record is wrong");
		}
		List<ByteBuffer> entries = new ArrayList<>(record.count());
		for (int i = 0; i < record.count(); i++) {
			int size = body.getInt();
			entries.add(body.slice(body.position(), size).asReadOnlyBuffer());
			body.position(body.position() + size);
		}
		if (record.bodyBytes() <= KEPT_BYTES) {
			this.records.put(place.firstIndex(), entries);
		}
		return entries;
	}

	private OpenSegment segment(long firstIndex) throws IOException {
		OpenSegment open = this.segments.get(firstIndex);
		if (open == null) {
			Path path = this.store.layout().segment(firstIndex);
			open = new OpenSegment(path, this.store.disk().read(path),
					new RecordFormat(new SegmentHeader(this.store.identity().id(), firstIndex, 0, 0, 0)));
			this.segments.put(firstIndex, open);
		}
		return open;
	}

	/** Closes the segments that have only entries before one. */
	synchronized void removeBefore(long segment) throws IOException {
		this.records.clear();
		for (Long first : List.copyOf(this.segments.keySet())) {
			if (first < segment) {
				close(this.segments.remove(first));
			}
		}
	}

	private static void close(@Nullable OpenSegment segment) throws IOException {
		if (segment != null) {
			segment.file.close();
		}
	}

	@Override
	public synchronized void close() throws IOException {
		for (OpenSegment segment : this.segments.values()) {
			segment.file.close();
		}
		this.segments.clear();
	}

	/** A segment that is open for reading. */
	private record OpenSegment(Path path, DiskFile file, RecordFormat format) {

		DamagedLogException damaged(Place place, String damage) {
			return new DamagedLogException(this.path, place.position(), damage);
		}

	}

}
