package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.statestore.broker.storage.Fsync;
import io.statestore.test.JavaProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** {@link FileLog} on a real disk, without failures. */
class FileLogTests {

	@TempDir
	private Path parent;

	private Path directory;

	@BeforeEach
	void chooseAbsentDirectory() {
		this.directory = this.parent.resolve("a/b");
	}

	private static List<String> numbers(int start, int end) {
		return IntStream.range(start, end).mapToObj((number) -> "entry " + number).toList();
	}

	/** Appends numbered entries in batches of three. */
	private static void fill(FileLog log, int start, int end) {
		for (int number = start; number < end; number += 3) {
			TestLogs.append(log, numbers(number, Math.min(end, number + 3)));
		}
	}

	@Test
	void newStoreIsEmpty() {
		assertThat(TestLogs.contents(this.directory)).isEmpty();
		assertThat(TestLogs.contents(this.directory)).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(Fsync.class)
	void returnsEntriesAfterRestart(Fsync fsync) {
		LogOptions options = TestLogs.options(fsync);
		for (int restart = 0; restart < 4; restart++) {
			List<String> entries = new ArrayList<>();
			try (FileLog log = TestLogs.open(this.directory, options, new FileDisk(), entries)) {
				assertThat(entries).isEqualTo(numbers(0, restart * 200));
				fill(log, entries.size(), entries.size() + 200);
				assertThat(log.lastIndex()).isEqualTo(entries.size() + 200);
			}
		}
	}

	@Test
	void returnsBatchesAsAppended() {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			EntryBatch batch = new EntryBatch();
			batch.add(ByteBuffer.wrap(new byte[] { 9, 1, 2, 9 }, 1, 2));
			batch.add(new byte[0]);
			batch.add(8).putLong(-5);
			log.append(batch);
			batch.clear();
			batch.add(new byte[] { 3 });
			log.append(batch);
			log.append(new EntryBatch());
		}
		List<String> batches = new ArrayList<>();
		try (FileLog log = FileLog.open(this.directory, TestLogs.SMALL)) {
			log.replay((firstIndex, entries) -> {
				assertThat(entries).allMatch((entry) -> entry.position() == 0);
				batches.add(firstIndex + ": " + entries.stream().map(ByteBuffer::remaining).toList());
				if (firstIndex == 1) {
					assertThat(entries.get(0).get(1)).isEqualTo((byte) 2);
					assertThat(entries.get(2).getLong()).isEqualTo(-5);
				}
			});
		}
		assertThat(batches).containsExactly("1: [2, 0, 8]", "4: [1]");
	}

	@Test
	void storesBatchLargerThanSegment() {
		String large = "x".repeat(3_000_000);
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.append(log, "first");
			TestLogs.append(log, "second", large);
			TestLogs.append(log, "last");
			assertThat(log.statistics().segments()).isEqualTo(3);
		}
		assertThat(TestLogs.contents(this.directory)).containsExactly("first", "second", large, "last");
	}

	@Test
	void replaysManySegmentsWithLittleMemory() {
		try (FileLog log = TestLogs.open(this.directory, TestLogs.options(Fsync.NEVER), new FileDisk(),
				new ArrayList<>())) {
			for (int i = 0; i < 100; i++) {
				TestLogs.append(log, "x".repeat(4_200));
			}
			TestLogs.append(log, "x".repeat(5_000_000));
			assertThat(log.statistics().segments()).isGreaterThan(100);
		}
		try (JavaProcess process = JavaProcess.of(Counter.class).options("-Xmx24m").arguments(this.directory).start()) {
			process.await("^101 batches$");
		}
	}

	@Test
	void requiresReplayBeforeAppend() {
		try (FileLog log = FileLog.open(this.directory, TestLogs.SMALL)) {
			assertThatIllegalStateException().isThrownBy(() -> TestLogs.append(log, "a"))
				.withMessage("Replay the log first");
		}
	}

	@Test
	void snapshotReplacesEarlierSegments() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			fill(log, 0, 400);
			long bytes = log.statistics().bytes();
			// The snapshot ends in the middle of a batch.
			TestLogs.snapshot(log, numbers(0, 362));
			assertThat(log.statistics().bytes()).isLessThan(bytes / 2);
			assertThat(log.statistics().snapshotIndex()).isEqualTo(362);
			assertThat(log.statistics().snapshotBytes()).isEqualTo(Files.size(files("snapshot").get(0)));
		}
		assertThat(TestLogs.contents(this.directory)).isEqualTo(numbers(0, 400));
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.snapshot(log, numbers(0, 400));
			fill(log, 400, 500);
		}
		assertThat(files("snapshot")).hasSize(1);
		assertThat(TestLogs.contents(this.directory)).isEqualTo(numbers(0, 500));
	}

	@Test
	void appendsWhileSnapshotIsWritten() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			fill(log, 0, 200);
			try (SnapshotOutput snapshot = log.beginSnapshot(200)) {
				assertThatIllegalStateException().isThrownBy(() -> log.beginSnapshot(200))
					.withMessage("A snapshot is being written. Close it first");
				snapshot.write(new byte[2_000_000]);
				fill(log, 200, 300);
			}
			assertThatIllegalArgumentException().isThrownBy(() -> log.beginSnapshot(301))
				.withMessageContaining("'index'");
			assertThat(files("snapshot")).isEmpty();
			TestLogs.snapshot(log, numbers(0, 200));
			fill(log, 300, 500);
		}
		assertThat(TestLogs.contents(this.directory)).isEqualTo(numbers(0, 500));
	}

	@Test
	void returnsLargeSnapshotUnchanged() throws IOException {
		byte[] content = new byte[3_333_333];
		new Random(1).nextBytes(content);
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.append(log, "a");
			try (SnapshotOutput snapshot = log.beginSnapshot(1)) {
				snapshot.write(content[0]);
				snapshot.write(content, 1, 1_000_000);
				snapshot.write(ByteBuffer.wrap(content, 1_000_001, content.length - 1_000_001));
				snapshot.commit();
			}
		}
		try (FileLog log = FileLog.open(this.directory, TestLogs.SMALL); SnapshotInput snapshot = log.snapshot()) {
			assertThat(snapshot).isNotNull();
			assertThat(snapshot.index()).isEqualTo(1);
			assertThat(snapshot.read()).isEqualTo(content[0] & 0xff);
			assertThat(snapshot.readAllBytes()).isEqualTo(Arrays.copyOfRange(content, 1, content.length));
		}
	}

	@Test
	void deletesTemporaryFilesAtStart() throws IOException {
		TestLogs.contents(this.directory);
		for (String name : List.of("store.tmp", "log/00000000000000000007.log.tmp",
				"snapshot/00000000000000000007.snapshot.tmp")) {
			Files.writeString(this.directory.resolve(name), "x");
		}
		TestLogs.contents(this.directory);
		try (Stream<Path> files = Files.walk(this.directory)) {
			assertThat(files.map(Path::toString)).noneMatch((name) -> name.endsWith(".tmp"));
		}
	}

	@Test
	void statisticsCountBatchesAndForces() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.append(log, "a", "b");
			assertThat(log.statistics().forces()).isEqualTo(1);
			assertThat(log.statistics().forceNanos()).isPositive().isEqualTo(log.statistics().maxForceNanos());
			TestLogs.append(log, "c");
			LogStatistics statistics = log.statistics();
			assertThat(statistics.lastIndex()).isEqualTo(3);
			assertThat(statistics.forcedIndex()).isEqualTo(3);
			assertThat(statistics.forces()).isEqualTo(2);
			assertThat(statistics.writtenBytes()).isEqualTo(2 * 36 + 3 * 5);
			assertThat(statistics.bytesSinceSnapshot()).isEqualTo(statistics.writtenBytes());
			TestLogs.snapshot(log, List.of("a", "b", "c"));
			assertThat(log.statistics().bytesSinceSnapshot()).isZero();
			TestLogs.append(log, "d");
		}
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			assertThat(log.statistics().bytesSinceSnapshot()).isEqualTo(36 + 5);
			assertThat(log.statistics().writtenBytes()).isZero();
		}
	}

	@Test
	void forcesAtIntervals() {
		try (FileLog log = TestLogs.open(this.directory, TestLogs.options(Fsync.INTERVAL), new FileDisk(),
				new ArrayList<>())) {
			fill(log, 0, 500);
			Awaitility.await().until(() -> log.statistics().forcedIndex() == 500);
		}
	}

	@Test
	void neverForcesOnlyCompleteSegments() {
		try (FileLog log = TestLogs.open(this.directory, TestLogs.options(Fsync.NEVER), new FileDisk(),
				new ArrayList<>())) {
			fill(log, 0, 30);
			assertThat(log.statistics().forcedIndex()).isZero();
			fill(log, 30, 500);
			assertThat(log.statistics().forcedIndex()).isGreaterThan(400);
			assertThat(log.statistics().forces()).isEqualTo(log.statistics().segments() - 1);
			assertThat(log.statistics().forcedIndex()).isLessThan(500);
		}
	}

	private List<Path> files(String name) throws IOException {
		try (Stream<Path> files = Files.list(this.directory.resolve(name))) {
			return files.toList();
		}
	}

	/** Counts the batches in the directory given as argument. */
	static final class Counter {

		private Counter() {
		}

		public static void main(String[] arguments) {
			int[] count = { 0 };
			try (FileLog log = FileLog.open(Path.of(arguments[0]), TestLogs.SMALL)) {
				log.replay((firstIndex, entries) -> count[0]++);
			}
			System.out.println(count[0] + " batches");
		}

	}

}
