package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

import io.statestore.broker.log.RecordFormat.RecordHeader;

/** Finds all batches in a log's files, whether or not the log can return them. */
final class IntactRecords {

	private IntactRecords() {
	}

	/**
	 * Returns the intact batches in all segments, including discarded segments.
	 * @param suffixes pattern for the suffixes after {@code .log}
	 */
	static Set<String> in(SimulatedDisk disk, StoreLayout layout, String suffixes) throws IOException {
		Pattern names = Pattern.compile("\\d{20}\\.log(" + suffixes + ")");
		Set<String> records = new HashSet<>();
		if (disk.exists(layout.log())) {
			for (Path file : disk.list(layout.log())) {
				if (names.matcher(file.getFileName().toString()).matches()) {
					add(records, ByteBuffer.wrap(disk.content(file)));
				}
			}
		}
		return records;
	}

	private static void add(Set<String> records, ByteBuffer bytes) {
		if (bytes.limit() < SegmentHeader.BYTES) {
			return;
		}
		SegmentHeader segment = new SegmentHeader(new UUID(bytes.getLong(12), bytes.getLong(20)), bytes.getLong(28), 0,
				0, 0);
		RecordFormat format = new RecordFormat(segment);
		for (int position = SegmentHeader.BYTES; position < bytes.limit(); position++) {
			RecordHeader record = format.header(bytes, position);
			if (record != null && record.count() > 0 && record.bytes() <= bytes.limit() - position
					&& format.isBody(bytes.slice(position + RecordFormat.HEADER_BYTES, record.bodyBytes()), record)) {
				records.add(segment.firstIndex() + "+" + position + ": " + record);
			}
		}
	}

}
