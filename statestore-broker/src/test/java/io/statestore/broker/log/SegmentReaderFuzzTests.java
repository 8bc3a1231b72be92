package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

import com.code_intelligence.jazzer.junit.FuzzTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes the log reader with changes to a segment with known batches. Each change takes
 * four input bytes: two for the position, a new byte, and the number of bytes to set to
 * it.
 */
class SegmentReaderFuzzTests {

	private static final List<String> ENTRIES = List.of("a", "b".repeat(100), "c".repeat(600), "d", "e".repeat(50));

	private static final StoreIdentity IDENTITY = new StoreIdentity(new UUID(1, 2), null);

	private static final StoreLayout LAYOUT = new StoreLayout(Path.of("/data"));

	@FuzzTest
	void returnsPrefixOrReportsDamage(byte[] input) throws IOException {
		byte[] segment = segment();
		ByteBuffer changes = ByteBuffer.wrap(input);
		while (changes.remaining() >= 4) {
			int position = changes.getChar() % segment.length;
			byte value = changes.get();
			int end = Math.min(segment.length, position + 1 + (changes.get() & 0xff));
			Arrays.fill(segment, position, end, value);
		}
		SimulatedDisk disk = new SimulatedDisk(0);
		disk.createDirectories(LAYOUT.log());
		try (DiskFile file = disk.create(LAYOUT.segment(1))) {
			file.write(ByteBuffer.wrap(segment), 0);
		}
		List<String> entries = new ArrayList<>();
		try {
			LogEnd end = new LogReader(new StoreFiles(disk, LAYOUT, IDENTITY), 0, ForcedEnd.UNKNOWN,
					(header, position, firstIndex, skipped, batch) -> {
						assertThat(firstIndex).isEqualTo(entries.size() + 1);
						batch.forEach((entry) -> entries.add(text(entry)));
					})
				.read();
			assertThat(end.lastIndex()).isEqualTo(entries.size());
			// Each record except the last is confirmed by the next record.
			assertThat(entries.size()).isGreaterThanOrEqualTo((end.remains().bytes() > 0) ? 0 : ENTRIES.size() - 1);
		}
		catch (DamagedLogException | StoreDirectoryException ex) {
			assertThat(ex).hasMessageContaining("/data/log/");
		}
		assertThat(entries).isEqualTo(ENTRIES.subList(0, entries.size()));
	}

	private static String text(ByteBuffer entry) {
		byte[] bytes = new byte[entry.remaining()];
		entry.get(bytes);
		return new String(bytes);
	}

	private static byte[] segment() {
		SegmentHeader header = new SegmentHeader(IDENTITY.id(), 1, 0, 0, 0);
		RecordFormat format = new RecordFormat(header);
		ByteBuffer segment = ByteBuffer.allocate(2_048).put(header.encode());
		for (int i = 0; i < ENTRIES.size(); i++) {
			segment.put(TestLogs.batch(List.of(ENTRIES.get(i))).seal(format, i + 1, i));
		}
		return segment.array();
	}

}
