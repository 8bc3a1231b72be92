package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Directories that can and cannot be opened as a store, and checking them. */
class StoreDirectoryTests {

	@TempDir
	private Path directory;

	private void refuses(String... messageParts) {
		assertThatExceptionOfType(StoreDirectoryException.class).isThrownBy(() -> TestLogs.contents(this.directory))
			.satisfies((ex) -> assertThat(ex.getMessage()).contains(this.directory.toString()).contains(messageParts));
	}

	@Test
	void refusesDirectoryInUseByThisProcess() {
		try (FileLog log = FileLog.open(this.directory, TestLogs.SMALL)) {
			assertThat(log.storeId()).isNotNull();
			refuses("is in use by this process", "Stop that store first");
		}
		assertThat(TestLogs.contents(this.directory)).isEmpty();
	}

	@Test
	void refusesDirectoryInUseByOtherProcess() {
		try (JavaProcess process = JavaProcess.of(Holder.class).arguments(this.directory).start()) {
			String pid = process.await("^holding (\\d+)$").group(1);
			refuses("is in use by process " + pid, "Stop that store first");
			refuses("is in use by process " + pid);
			assertThat(StoreDirectory.check(this.directory).isIntact()).isTrue();
			process.kill();
		}
		assertThat(TestLogs.contents(this.directory)).containsExactly("held");
	}

	@Test
	void refusesDirectoryWithOtherFiles() throws IOException {
		Files.writeString(this.directory.resolve("letter.txt"), "x");
		refuses("is not a store directory", "letter.txt", "Use an empty directory");
		assertThat(this.directory.resolve("log")).doesNotExist();
	}

	@Test
	void refusesFile() throws IOException {
		Path file = Files.writeString(this.directory.resolve("file"), "x");
		assertThatExceptionOfType(StoreDirectoryException.class).isThrownBy(() -> TestLogs.contents(file))
			.withMessageContaining(file + " is a file");
	}

	@Test
	void refusesDataWithoutIdentity() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.append(log, "a");
		}
		Files.delete(this.directory.resolve("store"));
		refuses("is missing", "has data");
	}

	@Test
	void leavesRefusedDataUnchanged() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.append(log, "x".repeat(3_000));
			TestLogs.append(log, "x".repeat(3_000));
		}
		Files.delete(this.directory.resolve("store"));
		Path segment = new StoreLayout(this.directory).segment(1);
		Files.write(segment, Arrays.copyOf(Files.readAllBytes(segment), SegmentHeader.BYTES));
		refuses("is missing", "has data");
		assertThat(segment).exists();
	}

	@Test
	void createsMissingEmptyDirectory() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.append(log, "a");
		}
		Files.delete(this.directory.resolve("snapshot"));
		assertThat(StoreDirectory.check(this.directory).isIntact()).isTrue();
		assertThat(TestLogs.contents(this.directory)).containsExactly("a");
	}

	@Test
	void completesInterruptedCreation() throws IOException {
		TestLogs.contents(this.directory);
		Files.delete(this.directory.resolve("store"));
		Files.delete(this.directory.resolve("forced"));
		Path segment = new StoreLayout(this.directory).segment(1);
		Files.write(segment, Arrays.copyOf(Files.readAllBytes(segment), SegmentHeader.BYTES));
		Files.createDirectory(this.directory.resolve("lost+found"));
		assertThat(TestLogs.contents(this.directory)).isEmpty();
	}

	@Test
	void refusesNewerFormat() throws IOException {
		TestLogs.contents(this.directory);
		for (String name : List.of("log/00000000000000000001.log", "store")) {
			Path file = this.directory.resolve(name);
			byte[] content = Files.readAllBytes(file);
			ByteBuffer.wrap(content).putInt(8, StoreIdentity.FORMAT + 1);
			Files.write(file, content);
			refuses(name + " has format 2", "A newer version wrote it: use that version");
		}
	}

	@Test
	void namesMissingPermission() {
		SimulatedDisk disk = new SimulatedDisk(1);
		Path path = Path.of("/data");
		disk.faults((operation, file) -> {
			throw new AccessDeniedException(file.toString());
		});
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> FileLog.open(path, TestLogs.SMALL, disk))
			.withMessageContaining("No permission to access /data")
			.withMessageContaining("Grant user '" + System.getProperty("user.name") + "' read and write access");
	}

	@Test
	void checkReportsContent() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.append(log, "a", "b");
			TestLogs.snapshot(log, List.of("a", "b"));
			TestLogs.append(log, "c");
			TestLogs.append(log, "d");
			CheckReport report = StoreDirectory.check(this.directory);
			assertThat(report.isIntact()).isTrue();
			assertThat(report.lastIndex()).isEqualTo(4);
		}
	}

	@Test
	void checkReportsDamage() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.append(log, "a", "b");
			TestLogs.snapshot(log, List.of("a"));
			TestLogs.append(log, "c");
		}
		StoreLayout layout = new StoreLayout(this.directory);
		for (Path file : List.of(layout.segment(1), layout.snapshot(1))) {
			byte[] content = Files.readAllBytes(file);
			content[SegmentHeader.BYTES + 2] ^= 1;
			Files.write(file, content);
			CheckReport report = StoreDirectory.check(this.directory);
			assertThat(report.isIntact()).isFalse();
			assertThat(report.problem()).contains(file + " is damaged at position ")
				.endsWith(". Restore a backup into an empty directory");
		}
	}

	@Test
	void checkKeepsIncompleteWrite() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.append(log, "a");
			Path segment = new StoreLayout(this.directory).segment(1);
			byte[] content = Files.readAllBytes(segment);
			content[200] = 1;
			Files.write(segment, content);
			CheckReport report = StoreDirectory.check(this.directory);
			assertThat(report.isIntact()).isTrue();
			assertThat(report.lastIndex()).isEqualTo(1);
			assertThat(Files.readAllBytes(segment)).isEqualTo(content);
		}
	}

	@Test
	void checkRefusesNodeDirectory() throws IOException {
		Files.writeString(this.directory.resolve("node"), "x");
		assertThatExceptionOfType(StoreDirectoryException.class).isThrownBy(() -> StoreDirectory.check(this.directory))
			.withMessageContainingAll("belongs to a node of a cluster", "cluster status");
	}

	@Test
	void checkRefusesDirectoryWithoutStore() {
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> StoreDirectory.check(this.directory.resolve("absent")))
			.withMessageContaining("is not a store directory");
	}

	@Test
	void checkNamesMissingIdentity() throws IOException {
		TestLogs.contents(this.directory);
		Files.delete(this.directory.resolve("store"));
		assertThatExceptionOfType(StoreDirectoryException.class).isThrownBy(() -> StoreDirectory.check(this.directory))
			.withMessage("File " + this.directory.resolve("store") + " is missing. "
					+ "If the store does not start either, restore a backup into an empty directory");
	}

	@Test
	void startsWhereParentDirectoryCannotBeForced() throws IOException {
		SimulatedDisk disk = new SimulatedDisk(1);
		Path parent = Path.of("/mnt");
		Path path = parent.resolve("data");
		disk.createDirectory(parent);
		disk.createDirectory(path);
		disk.faults(
				(operation, file) -> (operation == SimulatedDisk.Operation.FORCE_DIRECTORY && !file.startsWith(path))
						? SimulatedDisk.Fault.FAIL : SimulatedDisk.Fault.NONE);
		TestLogs.append(TestLogs.open(path, TestLogs.SMALL, disk, new ArrayList<>()), "a");
		disk.faults((operation, file) -> SimulatedDisk.Fault.NONE);
		List<String> entries = new ArrayList<>();
		TestLogs.open(path, TestLogs.SMALL, disk, entries);
		assertThat(entries).containsExactly("a");
	}

	@Test
	void newDirectoryRequiresForcingParent() throws IOException {
		SimulatedDisk disk = new SimulatedDisk(1);
		disk.createDirectory(Path.of("/mnt"));
		disk.faults((operation,
				file) -> (operation == SimulatedDisk.Operation.FORCE_DIRECTORY && file.equals(Path.of("/mnt")))
						? SimulatedDisk.Fault.FAIL : SimulatedDisk.Fault.NONE);
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> FileLog.open(Path.of("/mnt/data"), TestLogs.SMALL, disk));
	}

	/** Holds the directory given as argument until it is killed. */
	static final class Holder {

		private Holder() {
		}

		public static void main(String[] arguments) throws InterruptedException {
			FileLog log = TestLogs.open(Path.of(arguments[0]), new ArrayList<>());
			TestLogs.append(log, "held");
			System.out.println("holding " + ProcessHandle.current().pid());
			Thread.sleep(Long.MAX_VALUE);
		}

	}

}
