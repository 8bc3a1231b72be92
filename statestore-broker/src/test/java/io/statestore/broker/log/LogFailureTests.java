package io.statestore.broker.log;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.statestore.broker.log.SimulatedDisk.Fault;
import io.statestore.broker.log.SimulatedDisk.Operation;
import io.statestore.broker.storage.Fsync;
import org.awaitility.Awaitility;
import org.hamcrest.Matchers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Effects of a full or failing disk on batches, the log, and the next start. */
class LogFailureTests {

	private static final Path DIRECTORY = Path.of("/data");

	private final SimulatedDisk disk = new SimulatedDisk(1);

	private FileLog open() {
		return open(TestLogs.SMALL);
	}

	private FileLog open(LogOptions options) {
		return TestLogs.open(DIRECTORY, options, this.disk, new ArrayList<>());
	}

	private List<String> contentsAfterPowerCut() {
		this.disk.capacity(Long.MAX_VALUE);
		this.disk.cutPower();
		return contents();
	}

	private List<String> contents() {
		List<String> entries = new ArrayList<>();
		TestLogs.open(DIRECTORY, TestLogs.SMALL, this.disk, entries).close();
		return entries;
	}

	/** Makes all operations of one kind on log files fail from now on. */
	private void fail(Operation failing) {
		this.disk.faults((operation, path) -> (operation == failing) ? Fault.FAIL : Fault.NONE);
	}

	/** Makes only the next operation of one kind fail. */
	private void failOnce(Operation failing) {
		AtomicInteger count = new AtomicInteger();
		this.disk.faults(
				(operation, path) -> (operation == failing && count.getAndIncrement() == 0) ? Fault.FAIL : Fault.NONE);
	}

	@ParameterizedTest
	@EnumSource(names = { "WRITE", "FORCE" })
	void rejectedBatchNeverReappears(Operation operation) {
		FileLog log = open();
		TestLogs.append(log, "before");
		for (int i = 0; i < 20; i++) {
			failOnce(operation);
			assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "rejected"))
				.withMessageContaining("The batch was rejected");
			assertThat(log.isFailed()).isFalse();
			assertThat(log.lastIndex()).isEqualTo(i + 1);
			TestLogs.append(log, "after " + i);
		}
		assertThat(contentsAfterPowerCut()).hasSize(21).doesNotContain("rejected").contains("before", "after 19");
	}

	@Test
	void rejectsFirstBatchInSegment() {
		FileLog log = open();
		for (int i = 0; i < 3; i++) {
			failOnce(Operation.FORCE);
			assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "rejected"));
		}
		TestLogs.append(log, "first");
		assertThat(log.statistics().segments()).isEqualTo(1);
		assertThat(contentsAfterPowerCut()).containsExactly("first");
	}

	/** Leaves a segment without batches that has only a clean-close mark. */
	private void closeAfterRejectedBatch() {
		FileLog log = open();
		TestLogs.append(log, "first");
		failOnce(Operation.FORCE);
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "rejected"));
		log.close();
		this.disk.kill();
	}

	@Test
	void rejectsFirstBatchAfterCloseMarker() {
		closeAfterRejectedBatch();
		FileLog log = open();
		failOnce(Operation.FORCE);
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "rejected"));
		TestLogs.append(log, "second");
		assertThat(contentsAfterPowerCut()).containsExactly("first", "second");
	}

	@Test
	void largeBatchFitsAfterCloseMarker() {
		closeAfterRejectedBatch();
		String large = "x".repeat(5_000);
		FileLog log = open();
		TestLogs.append(log, large);
		TestLogs.append(log, "last");
		assertThat(contentsAfterPowerCut()).containsExactly("first", large, "last");
	}

	@Test
	void rejectedBatchNeverReappearsWithoutPowerCut() {
		FileLog log = open();
		TestLogs.append(log, "before");
		failOnce(Operation.FORCE);
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "rejected"));
		this.disk.kill();
		assertThat(contents()).containsExactly("before");
	}

	@Test
	void neverForcesFileAfterFailure() {
		FileLog log = open();
		TestLogs.append(log, "before");
		List<Path> forced = new ArrayList<>();
		this.disk.faults((operation, path) -> {
			if (operation == Operation.FORCE) {
				forced.add(path);
			}
			return (operation == Operation.FORCE && forced.size() == 1) ? Fault.FAIL : Fault.NONE;
		});
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "rejected"));
		TestLogs.append(log, "after");
		log.close();
		Path failed = forced.remove(0);
		assertThat(forced).isNotEmpty().doesNotContain(failed);
	}

	@Test
	void failsWhenNewSegmentCannotBeCreated() {
		FileLog log = open();
		TestLogs.append(log, "before");
		fail(Operation.FORCE);
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "unknown"))
			.withMessageContaining("accepts no more batches");
		this.disk.faults((operation, path) -> Fault.NONE);
		assertThat(log.isFailed()).isTrue();
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "later"));
		log.close();
		assertThat(contentsAfterPowerCut()).startsWith("before").doesNotContain("later");
	}

	@Test
	void failsWhenNewSegmentNameCannotBeForced() {
		FileLog log = open();
		TestLogs.append(log, "before");
		this.disk.faults((operation, path) -> (operation == Operation.FORCE && path.toString().endsWith(".log")
				|| operation == Operation.FORCE_DIRECTORY) ? Fault.FAIL : Fault.NONE);
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "unknown"));
		assertThat(log.isFailed()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
	void startForcesBatchLeftByFailedForce(long seed) {
		SimulatedDisk disk = new SimulatedDisk(seed);
		FileLog log = TestLogs.open(DIRECTORY, TestLogs.SMALL, disk, new ArrayList<>());
		TestLogs.append(log, "before");
		disk.faults((operation, path) -> (operation == Operation.FORCE) ? Fault.FAIL : Fault.NONE);
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "unknown"));
		disk.kill();
		// The system's cache still has the batch, so the start returns it.
		List<String> read = new ArrayList<>();
		FileLog restarted = TestLogs.open(DIRECTORY, TestLogs.SMALL, disk, read);
		TestLogs.append(restarted, "after");
		read.add("after");
		disk.cutPower();
		List<String> entries = new ArrayList<>();
		TestLogs.open(DIRECTORY, TestLogs.SMALL, disk, entries).close();
		assertThat(read).hasSize(3);
		assertThat(entries).isEqualTo(read);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
	void startForcesAllSegmentsAfterFailedForce(long seed) {
		SimulatedDisk disk = new SimulatedDisk(seed);
		LogOptions options = TestLogs.options(Fsync.NEVER);
		FileLog log = TestLogs.open(DIRECTORY, options, disk, new ArrayList<>());
		for (int i = 0; i < 30; i++) {
			TestLogs.append(log, i + "x".repeat(600));
		}
		disk.faults((operation, path) -> (operation == Operation.FORCE) ? Fault.FAIL : Fault.NONE);
		log.close();
		disk.kill();
		List<String> read = new ArrayList<>();
		TestLogs.open(DIRECTORY, options, disk, read);
		disk.cutPower();
		List<String> entries = new ArrayList<>();
		TestLogs.open(DIRECTORY, options, disk, entries);
		assertThat(read).hasSize(30);
		assertThat(entries).isEqualTo(read);
	}

	@Test
	void continuesWhenFullDiskHasSpaceAgain() {
		FileLog log = open();
		TestLogs.append(log, "x".repeat(3_000));
		this.disk.capacity(this.disk.usedBytes());
		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(DiskFullException.class).isThrownBy(() -> TestLogs.append(log, "y".repeat(3_000)))
				.withMessageContaining("Free space on the disk");
		}
		// Space that was allocated ahead is used.
		TestLogs.append(log, "small");
		assertThat(log.isFailed()).isFalse();
		this.disk.capacity(Long.MAX_VALUE);
		TestLogs.append(log, "z".repeat(3_000));
		assertThat(contentsAfterPowerCut()).extracting((entry) -> entry.substring(0, 1)).containsExactly("x", "s", "z");
	}

	@Test
	void usesFullDiskUpToLastBytes() {
		FileLog log = open(new LogOptions(Fsync.ALWAYS, TestLogs.SMALL.interval(), 1 << 20));
		this.disk.capacity(this.disk.usedBytes() + 10_000);
		TestLogs.append(log, "x".repeat(9_000));
		assertThatExceptionOfType(DiskFullException.class).isThrownBy(() -> TestLogs.append(log, "x".repeat(9_000)));
		assertThat(contentsAfterPowerCut()).hasSize(1);
	}

	@Test
	void failsIfBatchFailsOnFullDisk() {
		FileLog log = open();
		TestLogs.append(log, "before");
		this.disk.capacity(this.disk.usedBytes());
		failOnce(Operation.FORCE);
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "in doubt"));
		assertThat(log.isFailed()).isTrue();
		assertThat(contentsAfterPowerCut()).startsWith("before");
	}

	@Test
	void startKeepsAllocatedZeros() {
		LogOptions options = new LogOptions(Fsync.ALWAYS, TestLogs.SMALL.interval(), 4 << 20);
		FileLog log = open(options);
		TestLogs.append(log, "first");
		this.disk.kill();
		List<Operation> operations = new ArrayList<>();
		this.disk.faults((operation, path) -> {
			operations.add(operation);
			return Fault.NONE;
		});
		open(options);
		assertThat(operations).filteredOn((operation) -> operation == Operation.WRITE).hasSizeLessThan(2);
	}

	@Test
	void closedLogLeavesStoreToNextLog() throws IOException {
		FileLog closed = open();
		TestLogs.append(closed, "first");
		SnapshotOutput snapshot = closed.beginSnapshot(1);
		closed.close();
		FileLog log = open();
		TestLogs.append(log, "second");
		assertThatIllegalStateException().isThrownBy(() -> TestLogs.append(closed, "late"))
			.withMessage("The log is closed");
		assertThatIllegalStateException().isThrownBy(() -> closed.beginSnapshot(1));
		assertThatIllegalStateException().isThrownBy(snapshot::commit);
		snapshot.close();
		assertThatIllegalStateException().isThrownBy(() -> TestLogs.read(closed));
		TestLogs.append(log, "third");
		assertThat(log.statistics().snapshotIndex()).isZero();
		assertThat(contentsAfterPowerCut()).containsExactly("first", "second", "third");
	}

	@Test
	void replayRequiresOpenLog() {
		FileLog closed = FileLog.open(DIRECTORY, TestLogs.SMALL, this.disk);
		closed.close();
		assertThatIllegalStateException().isThrownBy(() -> TestLogs.read(closed)).withMessage("The log is closed");
	}

	@Test
	void interruptedAppendFailsLog() {
		FileLog log = open();
		this.disk.faults((operation, path) -> {
			if (operation == Operation.FORCE && path.toString().endsWith(".log")) {
				throw new ClosedByInterruptException();
			}
			return Fault.NONE;
		});
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "unknown"));
		assertThat(log.isFailed()).isTrue();
	}

	@Test
	void unforcedBatchesInDoubtFailLog() {
		FileLog log = open(TestLogs.options(Fsync.NEVER));
		TestLogs.append(log, "unforced");
		failOnce(Operation.WRITE);
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "unknown"));
		assertThat(log.isFailed()).isTrue();
	}

	@Test
	void failedIntervalForceFailsLog() {
		FileLog log = open(TestLogs.options(Fsync.INTERVAL));
		AtomicReference<LogFailedException> failure = new AtomicReference<>();
		log.onFailure(failure::set);
		fail(Operation.FORCE);
		TestLogs.append(log, "in doubt");
		Awaitility.await().untilAtomic(failure, Matchers.notNullValue());
		assertThat(log.isFailed()).isTrue();
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "later"));
		log.close();
	}

	@Test
	void pausesAfterSlowIntervalForce() {
		Duration interval = Duration.ofMillis(200);
		List<Long> starts = new CopyOnWriteArrayList<>();
		AtomicLong firstEnd = new AtomicLong();
		FileLog log = open(new LogOptions(Fsync.INTERVAL, interval, 4_096));
		this.disk.faults((operation, path) -> {
			if (operation == Operation.FORCE) {
				starts.add(System.nanoTime());
				if (starts.size() == 1) {
					TestLogs.append(log, "meanwhile");
					LockSupport.parkNanos(2 * interval.toNanos());
					firstEnd.set(System.nanoTime());
				}
			}
			return Fault.NONE;
		});
		TestLogs.append(log, "before");
		Awaitility.await().until(() -> starts.size() > 1);
		log.close();
		assertThat(Duration.ofNanos(starts.get(1) - firstEnd.get())).isGreaterThanOrEqualTo(interval);
	}

	@Test
	void errorInBackgroundFailsLog() {
		FileLog log = open(TestLogs.options(Fsync.INTERVAL));
		AtomicReference<LogFailedException> failure = new AtomicReference<>();
		log.onFailure(failure::set);
		this.disk.faults((operation, path) -> {
			if (operation == Operation.FORCE) {
				throw new OutOfMemoryError("simulated");
			}
			return Fault.NONE;
		});
		TestLogs.append(log, "in doubt");
		Awaitility.await().untilAtomic(failure, Matchers.notNullValue());
		assertThat(log.isFailed()).isTrue();
		log.close();
	}

	@Test
	void failedForceOnCompleteSegmentFailsLog() {
		FileLog log = open(TestLogs.options(Fsync.NEVER));
		this.disk.faults((operation,
				path) -> (operation == Operation.FORCE && path.equals(new StoreLayout(DIRECTORY).segment(1)))
						? Fault.FAIL : Fault.NONE);
		TestLogs.append(log, "x".repeat(3_000));
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(LogFailedException.class)
				.isThrownBy(() -> TestLogs.append(log, "x".repeat(3_000)));
		}
		log.close();
	}

	@Test
	void completeSegmentIsOnDiskBeforeNextSegment() {
		FileLog log = open(TestLogs.options(Fsync.NEVER));
		TestLogs.append(log, "x".repeat(3_000));
		assertThat(log.statistics().forcedIndex()).isZero();
		TestLogs.append(log, "y".repeat(3_000));
		assertThat(log.statistics().forcedIndex()).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource(Operation.class)
	void failedSnapshotKeepsLogAndEarlierSnapshot(Operation operation) throws IOException {
		FileLog log = open();
		TestLogs.append(log, "a");
		TestLogs.snapshot(log, List.of("a"));
		TestLogs.append(log, "b");
		fail(operation);
		try {
			TestLogs.snapshot(log, List.of("a", "b"));
		}
		catch (IOException | DiskFullException ex) {
			assertThat(log.statistics().snapshotIndex()).isEqualTo(1);
		}
		this.disk.faults((any, path) -> Fault.NONE);
		TestLogs.append(log, "c");
		TestLogs.snapshot(log, List.of("a", "b", "c"));
		assertThat(contentsAfterPowerCut()).containsExactly("a", "b", "c");
	}

}
