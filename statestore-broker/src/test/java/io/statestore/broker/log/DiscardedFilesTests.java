package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

import io.statestore.broker.log.SimulatedDisk.Fault;
import io.statestore.broker.log.SimulatedDisk.PowerCut;
import io.statestore.broker.storage.Fsync;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Intact batches that follow a lost batch and cannot be applied without it. */
@Isolated("captures the log")
class DiscardedFilesTests {

	private static final Path DIRECTORY = Path.of("/data");

	private static final StoreLayout LAYOUT = new StoreLayout(DIRECTORY);

	private static final LogOptions NEVER = TestLogs.options(Fsync.NEVER);

	private static final String ANY = "|\\.discarded";

	/** Size of a record with a 600-byte entry. */
	private static final int RECORD_BYTES = RecordFormat.HEADER_BYTES + 4 + 600;

	/** Number of such records for which a segment has room. */
	private static final int RECORDS = 6;

	private SimulatedDisk disk = new SimulatedDisk(1);

	@TempDir
	private Path parent;

	private static String text(int number) {
		return number + "x".repeat(600 - Integer.toString(number).length());
	}

	private static List<String> texts(int count) {
		return IntStream.range(0, count).mapToObj(DiscardedFilesTests::text).toList();
	}

	private FileLog open(List<String> entries) {
		return TestLogs.open(DIRECTORY, NEVER, this.disk, entries);
	}

	private List<String> contents() {
		List<String> entries = new ArrayList<>();
		open(entries);
		this.disk.kill();
		return entries;
	}

	/**
	 * Writes the log of a process that was killed before it forced any batch.
	 */
	private void fill(int count) {
		UUID storeId = open(new ArrayList<>()).storeId();
		this.disk.kill();
		for (int first = 1; first <= count; first += RECORDS) {
			boolean earlier = first > 1;
			SegmentHeader header = new SegmentHeader(storeId, first, earlier ? first - RECORDS : 0,
					earlier ? SegmentHeader.BYTES + RECORDS * RECORD_BYTES : 0, 0);
			RecordFormat format = new RecordFormat(header);
			ByteBuffer content = ByteBuffer.allocate((int) NEVER.segmentBytes()).put(header.encode());
			for (int number = first - 1; number < Math.min(count, first - 1 + RECORDS); number++) {
				content.put(TestLogs.batch(List.of(text(number))).seal(format, number + 1, 0));
			}
			if (first + RECORDS <= count) {
				content.put(format.continuation(first + RECORDS, 0));
			}
			LogDamageTests.put(this.disk, LAYOUT.segment(first), content.array());
		}
	}

	/** Damages a record in a segment whose records all have the same size. */
	private void damage(long segment, int record) {
		byte[] content = this.disk.content(LAYOUT.segment(segment));
		content[SegmentHeader.BYTES + record * RECORD_BYTES + 100] ^= 1;
		LogDamageTests.put(this.disk, LAYOUT.segment(segment), content);
	}

	private List<String> names() throws IOException {
		return this.disk.list(LAYOUT.log()).stream().map((file) -> file.getFileName().toString()).toList();
	}

	private static String discarded(long segment) {
		return StoreLayout.segmentName(segment) + LogRecovery.DISCARDED;
	}

	private Set<String> records(String suffixes) throws IOException {
		return IntactRecords.in(this.disk, LAYOUT, suffixes);
	}

	@Test
	void keepsIntactBatchesInSegmentWithEnd() throws IOException {
		fill(5);
		damage(1, 1);
		Set<String> before = records("");
		List<String> warnings = TestLogs.warnings(() -> assertThat(contents()).isEqualTo(texts(1)));
		assertThat(warnings).hasSize(1);
		assertThat(warnings.get(0))
			.startsWith("A write at position " + (SegmentHeader.BYTES + RECORD_BYTES) + " of " + LAYOUT.segment(1)
					+ " is incomplete, and 3 intact batches follow it.")
			.contains("kept in the file '*.discarded' in " + LAYOUT.log(), "Delete the file if you do not need it");
		assertThat(records("\\.discarded")).containsAll(before);
		assertThat(TestLogs.warnings(this::contents)).isEmpty();
		assertThat(names()).contains(discarded(1));
	}

	@Test
	void keepsIntactBatchesInFileSystem() throws IOException {
		fill(5);
		damage(1, 1);
		StoreLayout layout = new StoreLayout(this.parent);
		Files.createDirectory(layout.log());
		Files.write(layout.store(), this.disk.content(LAYOUT.store()));
		byte[] segment = this.disk.content(LAYOUT.segment(1));
		Files.write(layout.segment(1), segment);
		try (FileLog log = TestLogs.open(this.parent, new ArrayList<>())) {
			TestLogs.append(log, text(1));
		}
		assertThat(TestLogs.contents(this.parent)).isEqualTo(texts(2));
		assertThat(layout.log().resolve(discarded(1))).hasBinaryContent(segment);
	}

	@Test
	void keepsIntactBatchesInSegmentWithoutEntries() throws IOException {
		fill(5);
		damage(1, 0);
		Set<String> before = records("");
		assertThat(contents()).isEmpty();
		assertThat(records("\\.discarded")).hasSize(4).containsAll(before);
		assertThat(records("$")).isEmpty();
	}

	@Test
	void laterStartReplacesDiscardedFile() throws IOException {
		fill(5);
		damage(1, 1);
		contents();
		FileLog log = open(new ArrayList<>());
		IntStream.range(1, 5).forEach((number) -> TestLogs.append(log, text(number)));
		this.disk.kill();
		damage(2, 2);
		assertThat(contents()).isEqualTo(texts(3));
		assertThat(names()).filteredOn((name) -> name.endsWith(LogRecovery.DISCARDED)).containsExactly(discarded(2));
	}

	@Test
	void interruptedStartsLoseNoIntactBatch() throws IOException {
		for (int damaged = 0; damaged < 4; damaged++) {
			for (boolean powerCut : new boolean[] { false, true }) {
				boolean interrupted = true;
				for (int operations = 0; interrupted; operations++) {
					this.disk = new SimulatedDisk(operations);
					fill(5);
					damage(1, damaged);
					force();
					Set<String> before = records("");
					interrupted = interrupt(operations, powerCut);
					assertThat(records(ANY)).as("operation %s", operations).containsAll(before);
					interrupt(operations / 2, powerCut);
					assertThat(contents()).as("operation %s", operations).isEqualTo(texts(damaged));
					assertThat(records(ANY)).as("operation %s", operations).containsAll(before);
				}
			}
		}
	}

	/**
	 * Forces all files, because after a power cut, everything that can be read is on
	 * disk.
	 */
	private void force() throws IOException {
		for (Path file : this.disk.list(LAYOUT.log())) {
			this.disk.open(file).force();
		}
		this.disk.forceDirectory(LAYOUT.log());
	}

	/** Starts the store and ends the process at an operation. Returns whether it did. */
	private boolean interrupt(int operations, boolean powerCut) {
		int[] count = { 0 };
		this.disk.faults((operation, path) -> (count[0]++ < operations) ? Fault.NONE : Fault.CUT);
		try {
			open(new ArrayList<>());
			return false;
		}
		catch (PowerCut ex) {
			return true;
		}
		finally {
			if (powerCut) {
				this.disk.cutPower();
			}
			else {
				this.disk.kill();
			}
		}
	}

	@Test
	void discardedBatchNeverReappearsAfterFailure() throws IOException {
		boolean fails = true;
		for (int operations = 0; fails; operations++) {
			this.disk = new SimulatedDisk(operations);
			fill(5);
			damage(1, 1);
			force();
			fails = failsAt(operations);
			this.disk.kill();
			FileLog log = TestLogs.open(DIRECTORY, TestLogs.SMALL, this.disk, new ArrayList<>());
			TestLogs.append(log, text(1));
			this.disk.cutPower();
			assertThat(contents()).as("operation %s", operations).isEqualTo(texts(2));
		}
	}

	/**
	 * Starts the store with one failing operation. Returns whether this operation was
	 * reached.
	 */
	private boolean failsAt(int operations) {
		int[] count = { 0 };
		this.disk.faults((operation, path) -> (count[0]++ == operations) ? Fault.FAIL : Fault.NONE);
		try {
			open(new ArrayList<>());
		}
		catch (StoreDirectoryException ex) {
			// The next start succeeds.
		}
		return count[0] > operations;
	}

	@Test
	void damagedBitInForcedSegmentIsNotIncompleteWrite() {
		FileLog log = TestLogs.open(DIRECTORY, NEVER, this.disk, new ArrayList<>());
		texts(40).forEach((text) -> TestLogs.append(log, text));
		this.disk.kill();
		damage(1, 1);
		assertThatExceptionOfType(DamagedLogException.class).isThrownBy(this::contents)
			.withMessageContaining("entry 2 cannot be read");
	}

	@Test
	void gapInSegmentNamesIsDamage() throws IOException {
		fill(20);
		byte[] first = this.disk.content(LAYOUT.segment(1));
		// Removes the mark which states that the log continues.
		Arrays.fill(first, SegmentHeader.BYTES + 6 * RECORD_BYTES, first.length, (byte) 0);
		LogDamageTests.put(this.disk, LAYOUT.segment(1), first);
		this.disk.delete(LAYOUT.segment(7));
		assertThatExceptionOfType(DamagedLogException.class).isThrownBy(this::contents)
			.withMessageContaining(LAYOUT.segment(7) + " is damaged")
			.withMessageContaining(
					"this file is missing, although the log continues in " + StoreLayout.segmentName(13));
	}

	@Test
	void fullDiskAtStartNamesNextStep() throws IOException {
		fill(5);
		damage(1, 1);
		this.disk.capacity(this.disk.usedBytes());
		assertThatExceptionOfType(StoreDirectoryException.class).isThrownBy(this::contents)
			.withMessage("Directory /data cannot be used, because the disk is full: No space left on device. "
					+ "Free space on the disk, then try again");
		this.disk.kill();
		this.disk.capacity(Long.MAX_VALUE);
		assertThat(contents()).isEqualTo(texts(1));
		assertThat(names()).contains(discarded(1)).noneMatch((name) -> name.endsWith(StoreLayout.TEMPORARY));
	}

	@Test
	void checkIgnoresDiscardedFiles() throws IOException {
		fill(5);
		damage(1, 1);
		contents();
		LogDamageTests.put(this.disk, LAYOUT.log().resolve(discarded(1)), new byte[] { 1 });
		CheckReport report = DirectoryCheck.run(this.disk, LAYOUT);
		assertThat(report.isIntact()).isTrue();
	}

}
