package io.statestore.broker.log;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.log.SimulatedDisk.Fault;
import io.statestore.broker.log.SimulatedDisk.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Logs that cannot grow, due to lack of space or for other reasons. */
class LogSpaceTests {

	private static final Path DIRECTORY = Path.of("/data");

	/** An entry so large that a segment has room for only one. */
	private static final String LARGE = "x".repeat(3_000);

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2, 3, 4 })
	void survivesFileDescriptorExhaustion(int free) {
		LimitedDisk disk = new LimitedDisk();
		FileLog log = TestLogs.open(DIRECTORY, TestLogs.SMALL, disk, new ArrayList<>());
		TestLogs.append(log, LARGE);
		disk.free = free;
		List<String> expected = new ArrayList<>(List.of(LARGE));
		for (int i = 0; i < 3; i++) {
			try {
				TestLogs.append(log, LARGE + i);
				expected.add(LARGE + i);
			}
			catch (DiskFullException ex) {
				assertThat(ex).hasMessage("Cannot create " + new StoreLayout(DIRECTORY).segment(expected.size() + 1)
						+ ": Too many open files. Check the disk and the limit of open files; the store then continues "
						+ "on its own");
			}
			assertThat(log.isFailed()).isFalse();
		}
		disk.free = Integer.MAX_VALUE;
		TestLogs.append(log, "last");
		expected.add("last");
		disk.cutPower();
		List<String> entries = new ArrayList<>();
		TestLogs.open(DIRECTORY, TestLogs.SMALL, disk, entries);
		assertThat(entries).isEqualTo(expected);
	}

	@Test
	void onlyMissingSpaceIsReportedAsFullDisk() {
		SimulatedDisk disk = new SimulatedDisk(1);
		FileLog log = TestLogs.open(DIRECTORY, TestLogs.SMALL, disk, new ArrayList<>());
		disk.capacity(disk.usedBytes());
		refusesLarge(log, "No space for 3036 bytes in " + new StoreLayout(DIRECTORY).segment(1)
				+ ": No space left on device. Free space on the disk; the store then continues on its own");
		disk.capacity(Long.MAX_VALUE);
		disk.faults((operation, path) -> (operation == Operation.WRITE) ? Fault.FAIL : Fault.NONE);
		refusesLarge(log,
				"Cannot allocate 3036 bytes in " + new StoreLayout(DIRECTORY).segment(1)
						+ ": Simulated failure of WRITE. Check the disk and the limit of open files; the store then "
						+ "continues on its own");
		disk.faults((operation, path) -> Fault.NONE);
		TestLogs.append(log, LARGE);
		disk.capacity(disk.usedBytes());
		refusesLarge(log, "No space for " + new StoreLayout(DIRECTORY).segment(2)
				+ ": No space left on device. Free space on the disk; the store then continues on its own");
		assertThat(log.isFailed()).isFalse();
	}

	private static void refusesLarge(FileLog log, String message) {
		assertThatExceptionOfType(DiskFullException.class).isThrownBy(() -> TestLogs.append(log, LARGE + "....."))
			.withMessage(message.replace("3036", Integer.toString(batchBytes())));
	}

	private static int batchBytes() {
		return TestLogs.batch(List.of(LARGE + ".....")).recordBytes();
	}

	@Test
	void segmentRenamedDespiteErrorFailsLog() {
		boolean[] fail = { false };
		SimulatedDisk disk = new SimulatedDisk(1) {
			@Override
			public synchronized void rename(Path source, Path target) throws IOException {
				super.rename(source, target);
				if (fail[0]) {
					throw new NoSuchFileException(source.toString());
				}
			}
		};
		FileLog log = TestLogs.open(DIRECTORY, TestLogs.SMALL, disk, new ArrayList<>());
		TestLogs.append(log, LARGE);
		fail[0] = true;
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, LARGE));
		assertThatExceptionOfType(LogFailedException.class).isThrownBy(() -> TestLogs.append(log, "small"));
		fail[0] = false;
		disk.kill();
		List<String> entries = new ArrayList<>();
		TestLogs.open(DIRECTORY, TestLogs.SMALL, disk, entries);
		assertThat(entries).containsExactly(LARGE);
	}

	/** The disk of a process that can open only a limited number of additional files. */
	private static final class LimitedDisk extends SimulatedDisk {

		private int free = Integer.MAX_VALUE;

		LimitedDisk() {
			super(1);
		}

		private void use(int count) throws IOException {
			if (this.free < count) {
				throw new IOException("Too many open files");
			}
			this.free -= count;
		}

		@Override
		public synchronized DiskFile create(Path path) throws IOException {
			use(1);
			return super.create(path);
		}

		@Override
		public synchronized DiskFile open(Path path) throws IOException {
			use(1);
			return super.open(path);
		}

		@Override
		public synchronized void forceDirectory(Path directory) throws IOException {
			use(1);
			super.forceDirectory(directory);
		}

	}

}
