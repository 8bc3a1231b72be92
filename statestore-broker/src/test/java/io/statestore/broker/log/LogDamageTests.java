package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;

import io.statestore.broker.storage.Fsync;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Incomplete writes at the end of the log, and damage anywhere. */
@Isolated("captures the log")
class LogDamageTests {

	private static final List<String> ENTRIES = List.of("first", "second", "third", "x".repeat(700), "last");

	@TempDir
	private Path parent;

	/** Creates a store that ended in a power failure, with one entry per batch. */
	private Path crashed(String name) throws IOException {
		Path killed = killed(name);
		losePower(killed);
		return killed;
	}

	/** Removes everything that is not forced. */
	private static void losePower(Path directory) throws IOException {
		Files.delete(new StoreLayout(directory).forced());
	}

	/** Creates a store that was not closed, with one entry per batch. */
	private Path killed(String name) throws IOException {
		Path directory = this.parent.resolve(name);
		try (FileLog log = TestLogs.open(directory, new ArrayList<>())) {
			for (String entry : ENTRIES) {
				TestLogs.append(log, entry);
			}
			Path copy = this.parent.resolve(name + "-crashed");
			copy(directory, copy);
			return copy;
		}
	}

	private static void copy(Path source, Path target) throws IOException {
		try (Stream<Path> files = Files.walk(source)) {
			for (Path file : files.toList()) {
				Files.copy(file, target.resolve(source.relativize(file)), StandardCopyOption.REPLACE_EXISTING);
			}
		}
	}

	private static Path segment(Path directory) {
		return new StoreLayout(directory).segment(1);
	}

	/**
	 * Returns the positions at which the records begin and the end of the last record.
	 */
	private static List<Integer> positions() {
		List<Integer> positions = new ArrayList<>(List.of(SegmentHeader.BYTES));
		for (String entry : ENTRIES) {
			positions.add(positions.get(positions.size() - 1) + RecordFormat.HEADER_BYTES + 4 + entry.length());
		}
		return positions;
	}

	@Test
	void cuttingLastTwoRecordsAnywhereYieldsPrefix() throws IOException {
		Path directory = crashed("store");
		byte[] content = Files.readAllBytes(segment(directory));
		List<Integer> positions = positions();
		int end = positions.get(ENTRIES.size());
		SimulatedDisk disk = disk(directory);
		for (int cut = positions.get(ENTRIES.size() - 2); cut <= end; cut++) {
			int at = cut;
			int count = (int) positions.stream().filter((position) -> position <= at).count() - 1;
			byte[] zeroed = content.clone();
			Arrays.fill(zeroed, cut, zeroed.length, (byte) 0);
			assertThat(contents(disk, directory, zeroed)).as("zeros from %s", cut).isEqualTo(ENTRIES.subList(0, count));
			assertThat(contents(disk, directory, Arrays.copyOf(content, cut))).as("cut at %s", cut)
				.isEqualTo(ENTRIES.subList(0, count));
		}
	}

	@Test
	void truncatesIncompleteWriteWithOneWarning() throws IOException {
		Path directory = crashed("store");
		int position = positions().get(4);
		try (FileChannel channel = FileChannel.open(segment(directory), StandardOpenOption.WRITE)) {
			channel.write(ByteBuffer.wrap(new byte[] { 1, 1 }), position + 38);
			channel.write(ByteBuffer.wrap(new byte[] { 1, 1 }), position + 600);
		}
		List<String> warnings = TestLogs.warnings(() -> {
			try (FileLog log = TestLogs.open(directory, new ArrayList<>())) {
				TestLogs.append(log, "new");
			}
		});
		assertThat(warnings).containsExactly("Cut off an incomplete write of 602 bytes at position " + position + " of "
				+ segment(directory) + ". This is normal after a crash");
		assertThat(TestLogs.warnings(() -> TestLogs.contents(directory))).isEmpty();
		assertThat(TestLogs.contents(directory)).containsExactly("first", "second", "third", ENTRIES.get(3), "new");
	}

	@Test
	void everyLostEntryIsFoundAfterKill() throws IOException {
		Path directory = killed("store");
		byte[] content = Files.readAllBytes(segment(directory));
		int end = positions().get(ENTRIES.size());
		SimulatedDisk disk = disk(directory);
		for (int cut = positions().get(ENTRIES.size() - 2); cut < end; cut++) {
			byte[] zeroed = content.clone();
			Arrays.fill(zeroed, cut, zeroed.length, (byte) 0);
			byte[] flipped = content.clone();
			flipped[cut] ^= 1;
			for (byte[] damaged : List.of(zeroed, flipped, Arrays.copyOf(content, cut))) {
				assertThatExceptionOfType(DamagedLogException.class).as("damage at %s", cut)
					.isThrownBy(() -> contents(disk, directory, damaged))
					.withMessageContaining(segment(directory) + " is damaged at position ")
					.withMessageContaining("restore a backup");
			}
		}
	}

	/** The hole exceeds the window in which a segment is searched. */
	@Test
	void recordAfterLongHoleIsFound() throws IOException {
		Path crashed = this.parent.resolve("crashed");
		LogOptions options = new LogOptions(Fsync.ALWAYS, Duration.ofSeconds(1), 8 << 20);
		String large = "x".repeat((2 << 20) + 3);
		try (FileLog log = TestLogs.open(this.parent.resolve("store"), options, new FileDisk(), new ArrayList<>())) {
			for (String entry : List.of("first", large, "last")) {
				TestLogs.append(log, entry);
			}
			copy(this.parent.resolve("store"), crashed);
		}
		losePower(crashed);
		byte[] content = Files.readAllBytes(segment(crashed));
		int start = SegmentHeader.BYTES + RecordFormat.HEADER_BYTES + 4 + "first".length();
		Arrays.fill(content, start, start + RecordFormat.HEADER_BYTES + 4 + large.length(), (byte) 0);
		Files.write(segment(crashed), content);
		assertThatExceptionOfType(DamagedLogException.class).isThrownBy(() -> TestLogs.contents(crashed))
			.withMessageContaining(segment(crashed) + " is damaged at position " + start);
	}

	@Test
	void shortenedFileIsFoundWithoutForcedEntries() throws IOException {
		Path directory = this.parent.resolve("store");
		Path killed = this.parent.resolve("killed");
		try (FileLog log = TestLogs.open(directory, TestLogs.options(Fsync.NEVER), new FileDisk(), new ArrayList<>())) {
			TestLogs.append(log, "forced");
			log.force();
			TestLogs.append(log, "acknowledged");
			copy(directory, killed);
		}
		int end = SegmentHeader.BYTES + RecordFormat.HEADER_BYTES + 4 + "forced".length();
		Files.write(segment(killed), Arrays.copyOf(Files.readAllBytes(segment(killed)), end));
		assertThatExceptionOfType(DamagedLogException.class).isThrownBy(() -> TestLogs.contents(killed))
			.withMessageContaining("is damaged at position " + end + ": the file ends there");
		assertThat(StoreDirectory.check(killed).problem()).asString()
			.contains(segment(killed) + " is damaged at position " + end, "Restore a backup");
	}

	@Test
	void checkFindsLossAfterAnyClose() throws IOException {
		for (Fsync fsync : Fsync.values()) {
			Path directory = this.parent.resolve(fsync.toString());
			try (FileLog log = TestLogs.open(directory, TestLogs.options(fsync), new FileDisk(), new ArrayList<>())) {
				TestLogs.append(log, "first");
				TestLogs.append(log, "second");
			}
			int position = SegmentHeader.BYTES + RecordFormat.HEADER_BYTES + 4 + "first".length();
			byte[] content = Files.readAllBytes(segment(directory));
			Arrays.fill(content, position, content.length, (byte) 0);
			Files.write(segment(directory), content);
			assertThat(StoreDirectory.check(directory).problem()).asString()
				.contains("damaged at position " + position, "entry 2 cannot be read");
		}
	}

	@Test
	void opensDirectoryFromEarlierVersion() throws IOException {
		Path directory = crashed("store");
		assertThat(TestLogs.contents(directory)).isEqualTo(ENTRIES);
		flip(segment(directory), positions().get(4) + 42, 1);
		assertThatExceptionOfType(DamagedLogException.class).isThrownBy(() -> TestLogs.contents(directory));
	}

	@Test
	void startsWithDamagedForcedFile() throws IOException {
		Path directory = killed("store");
		flip(new StoreLayout(directory).forced(), 30, 1);
		assertThat(TestLogs.contents(directory)).isEqualTo(ENTRIES);
	}

	@Test
	void damagedLengthIsNotIncompleteWrite() throws IOException {
		Path directory = crashed("store");
		int position = positions().get(1);
		flip(segment(directory), position + 5, 0x40);
		assertThatExceptionOfType(DamagedLogException.class).isThrownBy(() -> TestLogs.contents(directory))
			.withMessageContaining(segment(directory) + " is damaged at position " + position)
			.withMessageContaining("java -jar statestore-server-exec.jar check --data-directory " + directory)
			.withMessageContaining("restore a backup")
			.satisfies((ex) -> {
				assertThat(ex.file()).isEqualTo(segment(directory));
				assertThat(ex.position()).isEqualTo(position);
			});
	}

	@Test
	void damagedLastRecordIsFoundAfterCleanClose() throws IOException {
		Path directory = this.parent.resolve("closed");
		try (FileLog log = TestLogs.open(directory, new ArrayList<>())) {
			TestLogs.append(log, "only");
		}
		flip(segment(directory), SegmentHeader.BYTES + RecordFormat.HEADER_BYTES + 5, 1);
		assertThatExceptionOfType(DamagedLogException.class).isThrownBy(() -> TestLogs.contents(directory));
	}

	@Test
	void everyFlippedBitIsRejectedOrCutOff() throws IOException {
		Path directory = crashed("store");
		try (FileLog log = TestLogs.open(directory, new ArrayList<>())) {
			TestLogs.snapshot(log, ENTRIES.subList(0, 2));
		}
		Path crashed = crashed("other");
		flipBits(crashed, "log/" + segment(crashed).getFileName(), positions().get(ENTRIES.size()), 1_000);
		flipBits(crashed, "store", 40, 40);
		Path file = new StoreLayout(directory).snapshot(2);
		flipBits(directory, "snapshot/" + file.getFileName(), (int) Files.size(file), 300);
	}

	private void flipBits(Path directory, String name, int size, int count) throws IOException {
		Random random = new Random(size);
		Path file = directory.resolve(name);
		byte[] content = Files.readAllBytes(file);
		SimulatedDisk disk = disk(directory);
		for (int i = 0; i < count; i++) {
			byte[] flipped = content.clone();
			int position = random.nextInt(size);
			flipped[position] ^= (byte) (1 << random.nextInt(8));
			try {
				List<String> entries = contents(disk, directory, file, flipped);
				assertThat(position).as("position in %s", name).isGreaterThanOrEqualTo(positions().get(4));
				assertThat(entries).isEqualTo(ENTRIES.subList(0, 4));
			}
			catch (DamagedLogException | StoreDirectoryException ex) {
				assertThat(ex).hasMessageContaining(directory.toString());
			}
		}
	}

	@Test
	void storeWithOnlyIncompleteWriteIsNotCreated() throws IOException {
		Path directory = this.parent.resolve("store");
		try (FileLog log = TestLogs.open(directory, new ArrayList<>())) {
			assertThat(log.isCreated()).isTrue();
			TestLogs.append(log, "only");
			copy(directory, this.parent.resolve("crashed"));
		}
		Path crashed = this.parent.resolve("crashed");
		losePower(crashed);
		flip(segment(crashed), SegmentHeader.BYTES + RecordFormat.HEADER_BYTES + 5, 1);
		try (FileLog log = TestLogs.open(crashed, new ArrayList<>())) {
			assertThat(log.lastIndex()).isZero();
			assertThat(log.isCreated()).isFalse();
		}
	}

	@Test
	void missingSegmentIsDamage() throws IOException {
		Path directory = this.parent.resolve("store");
		try (FileLog log = TestLogs.open(directory, new ArrayList<>())) {
			for (int i = 0; i < 12; i++) {
				TestLogs.append(log, "x".repeat(1_500));
			}
		}
		for (long first : new long[] { 1, 3, 9, 11 }) {
			Path copy = this.parent.resolve("without" + first);
			copy(directory, copy);
			Files.delete(new StoreLayout(copy).segment(first));
			assertThatExceptionOfType(DamagedLogException.class).isThrownBy(() -> TestLogs.contents(copy));
		}
		Path empty = this.parent.resolve("empty");
		copy(directory, empty);
		for (Path segment : new StoreLayout(empty).segments(new FileDisk())) {
			Files.delete(segment);
		}
		assertThatExceptionOfType(DamagedLogException.class).isThrownBy(() -> TestLogs.contents(empty))
			.withMessageContaining("is missing");
	}

	@Test
	void refusesSegmentFromAnotherStore() throws IOException {
		Path directory = crashed("store");
		Path other = crashed("other");
		Files.copy(segment(other), segment(directory), StandardCopyOption.REPLACE_EXISTING);
		assertThatExceptionOfType(StoreDirectoryException.class).isThrownBy(() -> TestLogs.contents(directory))
			.withMessageContaining(segment(directory) + " belongs to store ")
			.withMessageContaining("Do not mix");
	}

	@Test
	void valueThatLooksLikeRecordIsNotEvidence() throws IOException {
		Path directory = this.parent.resolve("store");
		EntryBatch fake = new EntryBatch();
		fake.add(new byte[10]);
		ByteBuffer record = fake.seal(new RecordFormat(new SegmentHeader(UUID.randomUUID(), 1, 0, 0, 0)), 5, 100);
		byte[] bytes = new byte[record.remaining()];
		record.get(bytes);
		try (FileLog log = TestLogs.open(directory, new ArrayList<>())) {
			TestLogs.append(log, "first");
			EntryBatch batch = new EntryBatch();
			batch.add(bytes);
			log.append(batch);
			copy(directory, this.parent.resolve("crashed"));
		}
		Path crashed = this.parent.resolve("crashed");
		losePower(crashed);
		flip(segment(crashed), SegmentHeader.BYTES + RecordFormat.HEADER_BYTES + 9 + 30, 1);
		assertThat(TestLogs.contents(crashed)).containsExactly("first");
	}

	private static void flip(Path file, int position, int mask) throws IOException {
		byte[] content = Files.readAllBytes(file);
		content[position] ^= (byte) mask;
		Files.write(file, content);
	}

	/** Copies a directory into memory. */
	private static SimulatedDisk disk(Path directory) throws IOException {
		SimulatedDisk disk = new SimulatedDisk(0);
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.toList()) {
				if (Files.isDirectory(file)) {
					disk.createDirectories(file);
				}
				else {
					put(disk, file, Files.readAllBytes(file));
				}
			}
		}
		return disk;
	}

	/**
	 * Inverts a segment's last byte, or replaces or cuts off some of its last bytes.
	 */
	static byte[] damaged(byte[] segment, Random random) {
		int end = segment.length;
		while (end > SegmentHeader.BYTES && segment[end - 1] == 0) {
			end--;
		}
		byte[] content = segment.clone();
		int start = SegmentHeader.BYTES + random.nextInt(end - SegmentHeader.BYTES + 1);
		switch (random.nextInt(3)) {
			case 0 -> content[end - 1] ^= 1;
			case 1 -> Arrays.fill(content, start, end, (byte) 0);
			default -> content = Arrays.copyOf(content, start);
		}
		return content;
	}

	/** Replaces or creates a file. */
	static void put(SimulatedDisk disk, Path file, byte[] content) {
		try {
			disk.delete(file);
			try (DiskFile created = disk.create(file)) {
				created.write(ByteBuffer.wrap(content), 0);
			}
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
	}

	private static List<String> contents(SimulatedDisk disk, Path directory, byte[] segment) throws IOException {
		return contents(disk, directory, segment(directory), segment);
	}

	private static List<String> contents(SimulatedDisk disk, Path directory, Path file, byte[] content)
			throws IOException {
		byte[] segment = disk.content(segment(directory));
		put(disk, file, content);
		try (FileLog log = FileLog.open(directory, TestLogs.SMALL, disk)) {
			return TestLogs.read(log);
		}
		finally {
			put(disk, segment(directory), segment);
		}
	}

}
