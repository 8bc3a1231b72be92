package io.statestore.broker.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

import io.statestore.broker.log.SimulatedDisk.Fault;
import io.statestore.broker.log.SimulatedDisk.PowerCut;
import io.statestore.broker.storage.Fsync;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Logs whose entries are read and removed individually. */
class StoredEntriesTests {

	private static final Path DIRECTORY = Path.of("/data");

	private static final LogOptions OPTIONS = TestLogs.options(Fsync.ALWAYS);

	@TempDir
	private Path directory;

	@Test
	void behavesLikeListAcrossPowerCutsAndFullDisks() {
		run(30);
	}

	@Test
	@Tag("long")
	@Tag("nightly")
	void behavesLikeListWithManySeeds() {
		run(3_000);
	}

	private static void run(int seeds) {
		for (int seed = 0; seed < seeds; seed++) {
			try {
				new Run(seed).run();
			}
			catch (RuntimeException | AssertionError ex) {
				throw new AssertionError("Seed " + seed, ex);
			}
		}
	}

	@Test
	void appendingIntoSpareSpaceNeedsNoDiskSpace() {
		SimulatedDisk disk = new SimulatedDisk(1);
		SpareSpace spare = new SpareSpace(32 << 10);
		FileLog log = open(disk, spare, new TreeMap<>());
		assertThat(spare.allocated()).isEqualTo(32 << 10);
		disk.capacity(disk.usedBytes());
		long appended = 0;
		while (!spare.isFull()) {
			append(log, "x".repeat(500));
			appended++;
		}
		assertThat(spare.allocated()).isLessThan(16 << 10);
		// This is far beyond the size of a segment.
		assertThat(appended).isGreaterThan(25);
		append(log, "fits as well");
		disk.capacity(Long.MAX_VALUE);
		log.allocateSpare();
		assertThat(spare.isFull()).isFalse();
		assertThat(spare.allocated()).isGreaterThanOrEqualTo(16 << 10);
		log.close();
		TreeMap<Long, String> entries = new TreeMap<>();
		open(disk, spare, entries).close();
		assertThat(entries).hasSize((int) appended + 1).containsEntry(appended + 1, "fits as well");
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 8_192 })
	void reportsFullDiskAndContinuesAfterward(int spareBytes) {
		SimulatedDisk disk = new SimulatedDisk(1);
		SpareSpace spare = new SpareSpace(spareBytes);
		FileLog log = open(disk, spare, new TreeMap<>());
		disk.capacity(disk.usedBytes());
		assertThatExceptionOfType(DiskFullException.class).isThrownBy(() -> append(log, "x".repeat(100_000)));
		assertThat(spare.isFull()).isEqualTo(spareBytes > 0);
		disk.capacity(Long.MAX_VALUE);
		assertThat(append(log, "x".repeat(100_000))).isOne();
		assertThat(spare.isFull()).isFalse();
	}

	@Test
	void returnsNoEntryWhileItsAppendIsInProgress() {
		SimulatedDisk disk = new SimulatedDisk(1);
		FileLog log = open(disk, new SpareSpace(32 << 10), new TreeMap<>());
		append(log, "first");
		List<Boolean> found = new ArrayList<>();
		disk.faults((operation, path) -> {
			// The log allocates more space after the new entry.
			if (log.lastIndex() == 2) {
				found.add(log.read(2) != null);
			}
			return Fault.NONE;
		});
		append(log, "x".repeat(20_000));
		assertThat(found).isNotEmpty().containsOnly(false);
		assertThat(log.read(2)).isNotNull();
	}

	@Test
	void refusesFlippedBitAtStartAndOnRead() throws Exception {
		FileLog log = FileLog.open(this.directory, OPTIONS.indexed(new SpareSpace(0)));
		log.replay((index, entries) -> {
		});
		for (int i = 1; i <= 40; i++) {
			append(log, "text " + i);
		}
		Path segment = new StoreLayout(this.directory).segment(1);
		byte[] content = Files.readAllBytes(segment);
		int position = new String(content, StandardCharsets.ISO_8859_1).indexOf("text 7");
		content[position] ^= 4;
		Files.write(segment, content);
		assertThatExceptionOfType(DamagedLogException.class).isThrownBy(() -> log.read(7))
			.satisfies((ex) -> assertThat(ex.file()).isEqualTo(segment))
			.satisfies((ex) -> assertThat(ex.position()).isEqualTo(position - 4 - RecordFormat.HEADER_BYTES));
		log.close();
		FileLog again = FileLog.open(this.directory, OPTIONS.indexed(new SpareSpace(0)));
		assertThatExceptionOfType(DamagedLogException.class).isThrownBy(() -> again.replay((index, entries) -> {
		})).withMessageContaining(segment.toString());
		again.close();
	}

	@Test
	void refusesMissingSegment() throws Exception {
		SimulatedDisk disk = new SimulatedDisk(1);
		FileLog log = open(disk, new SpareSpace(0), new TreeMap<>());
		for (int i = 0; i < 10; i++) {
			append(log, "x".repeat(3_000));
		}
		log.removeUpTo(4);
		log.close();
		disk.delete(new StoreLayout(DIRECTORY).segment(5));
		assertThatExceptionOfType(DamagedLogException.class)
			.isThrownBy(() -> open(disk, new SpareSpace(0), new TreeMap<>()));
	}

	@Test
	void deletesFilesOfRemovedEntries() throws Exception {
		SimulatedDisk disk = new SimulatedDisk(1);
		FileLog log = open(disk, new SpareSpace(0), new TreeMap<>());
		for (int i = 0; i < 10; i++) {
			append(log, "x".repeat(3_000));
		}
		log.removeUpTo(9);
		assertThat(new StoreLayout(DIRECTORY).segments(disk)).containsExactly(new StoreLayout(DIRECTORY).segment(10));
		assertThat(log.read(9)).isNull();
		assertThat(log.read(10)).isNotNull();
	}

	private static FileLog open(Disk disk, SpareSpace spare, TreeMap<Long, String> entries) {
		FileLog log = FileLog.open(DIRECTORY, OPTIONS.indexed(spare), disk);
		try {
			log.replay((firstIndex, batch) -> {
				for (int i = 0; i < batch.size(); i++) {
					entries.put(firstIndex + i, text(batch.get(i)));
				}
			});
			return log;
		}
		catch (RuntimeException ex) {
			log.close();
			throw ex;
		}
	}

	private static long append(FileLog log, String... texts) {
		return log.append(TestLogs.batch(List.of(texts)));
	}

	private static String text(ByteBuffer entry) {
		return StandardCharsets.UTF_8.decode(entry.duplicate()).toString();
	}

	/** Random operations on a log, with its expected content. */
	private static final class Run {

		private final Random random;

		private final SimulatedDisk disk;

		private final SpareSpace spare;

		/** Entries that were acknowledged. */
		private final TreeMap<Long, String> model = new TreeMap<>();

		/** Entries that may also be in the log. */
		private final TreeMap<Long, String> possible = new TreeMap<>();

		private long removed;

		Run(int seed) {
			this.random = new Random(seed);
			this.disk = new SimulatedDisk(seed);
			this.spare = new SpareSpace(this.random.nextBoolean() ? 0 : 8_192);
		}

		void run() {
			for (int start = 0; start < 6; start++) {
				int operations = this.random.nextInt(400);
				int[] count = { 0 };
				boolean cut = this.random.nextBoolean();
				this.disk.faults((operation, path) -> (cut && ++count[0] > operations) ? Fault.CUT : Fault.NONE);
				try {
					use(start());
					if (this.random.nextBoolean()) {
						this.disk.kill();
					}
				}
				catch (PowerCut ex) {
					this.disk.cutPower();
				}
				this.disk.faults((operation, path) -> Fault.NONE);
				this.disk.capacity(Long.MAX_VALUE);
			}
			start();
		}

		private FileLog start() {
			TreeMap<Long, String> entries = new TreeMap<>();
			FileLog log = open(this.disk, this.spare, entries);
			this.possible.forEach((index, text) -> {
				if (text.equals(entries.get(index))) {
					this.model.put(index, text);
				}
			});
			this.possible.clear();
			entries.headMap(this.removed, true).clear();
			assertThat(entries).isEqualTo(this.model);
			return log;
		}

		private void use(FileLog log) {
			for (int i = 0; i < 60; i++) {
				switch (this.random.nextInt(8)) {
					case 0 -> remove(log);
					case 1 -> this.disk.capacity(this.random.nextInt(3) == 0 ? this.disk.usedBytes() : Long.MAX_VALUE);
					case 2 -> log.allocateSpare();
					case 3, 4 -> read(log);
					default -> append(log);
				}
			}
			if (this.random.nextBoolean()) {
				log.close();
			}
			else {
				this.disk.kill();
			}
		}

		private void append(FileLog log) {
			List<String> texts = new ArrayList<>();
			for (int i = this.random.nextInt(5); i >= 0; i--) {
				texts.add(i + "-" + this.random.nextLong() + "x".repeat(this.random.nextInt(900)));
			}
			for (int i = 0; i < texts.size(); i++) {
				this.possible.put(log.lastIndex() + 1 + i, texts.get(i));
			}
			try {
				assertThat(log.append(TestLogs.batch(texts))).isEqualTo(this.possible.firstKey());
				this.model.putAll(this.possible);
			}
			catch (DiskFullException ex) {
				// The batch is not in the log.
			}
			this.possible.clear();
		}

		private void remove(FileLog log) {
			if (this.model.size() > 1) {
				long index = this.model.firstKey() + this.random.nextInt(this.model.size());
				// If the power fails, the entries may or may not be there.
				this.removed = index;
				this.model.headMap(index, true).clear();
				try {
					log.removeUpTo(index);
				}
				catch (StoreDirectoryException ex) {
					// The disk is full.
				}
			}
		}

		private void read(FileLog log) {
			if (!this.model.isEmpty()) {
				long index = this.model.firstKey() + this.random.nextInt(this.model.size());
				ByteBuffer entry = log.read(index);
				assertThat(entry).isNotNull();
				assertThat(text(entry)).isEqualTo(this.model.get(index));
			}
		}

	}

}
