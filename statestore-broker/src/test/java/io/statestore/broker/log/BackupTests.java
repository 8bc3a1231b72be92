package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import io.statestore.protocol.Version;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Backup of a store that is in use, and restore. */
class BackupTests {

	@TempDir
	private Path parent;

	private Path directory;

	private Path file;

	private Path target;

	@BeforeEach
	void choosePaths() {
		this.directory = this.parent.resolve("store");
		this.file = this.parent.resolve("backup.zip");
		this.target = this.parent.resolve("restored");
	}

	private List<String> restore(Path file) {
		StoreDirectory.restore(file, this.target, null);
		return TestLogs.contents(this.target);
	}

	@Test
	void restoresAcknowledgedBatches() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			List<String> entries = new ArrayList<>();
			for (int i = 0; i < 30; i++) {
				entries.add(i + "x".repeat(500));
				TestLogs.append(log, entries.get(i));
				if (i == 15) {
					TestLogs.snapshot(log, entries);
				}
			}
			BackupReport report = StoreDirectory.backup(this.directory, this.file);
			assertThat(report).isEqualTo(new BackupReport(this.file, log.storeId(), 30, Files.size(this.file)));
			TestLogs.append(log, "later");
			assertThat(restore(this.file)).isEqualTo(entries);
			assertThat(StoreDirectory.check(this.target).storeId()).isEqualTo(log.storeId());
		}
	}

	@Test
	void restoresPrefixTakenDuringAppendsAndCompaction() throws IOException {
		AtomicInteger acknowledged = new AtomicInteger();
		AtomicBoolean stop = new AtomicBoolean();
		CompletableFuture<Void> appends = CompletableFuture.runAsync(() -> append(acknowledged, stop));
		try {
			for (int i = 0; i < 10; i++) {
				int before = acknowledged.get();
				Path file = this.parent.resolve(i + ".zip");
				Path target = this.parent.resolve("restored" + i);
				if (before == 0) {
					Thread.onSpinWait();
					i--;
					continue;
				}
				StoreDirectory.backup(this.directory, file);
				StoreDirectory.restore(file, target, null);
				List<String> entries = TestLogs.contents(target);
				assertThat(entries).hasSizeGreaterThanOrEqualTo(before);
				for (int number = 0; number < entries.size(); number++) {
					assertThat(entries.get(number)).startsWith(number + " ");
				}
			}
		}
		finally {
			stop.set(true);
			appends.join();
		}
	}

	/** Appends until it is stopped, with frequent snapshots. */
	private void append(AtomicInteger acknowledged, AtomicBoolean stop) {
		List<String> entries = new ArrayList<>();
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			for (int number = 0; !stop.get(); number++) {
				entries.add(number + " " + "x".repeat(300));
				TestLogs.append(log, entries.get(number));
				acknowledged.incrementAndGet();
				if (number % 50 == 49) {
					TestLogs.snapshot(log, entries);
				}
			}
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
	}

	/** Appends a batch, as far as a log does before it forces it. */
	private static void appendUnconfirmed(FileLog log, SimulatedDisk disk, String entry) {
		Path forced = new StoreLayout(Path.of("/data")).forced();
		byte[] content = disk.content(forced);
		TestLogs.append(log, entry);
		LogDamageTests.put(disk, forced, content);
	}

	@Test
	void leavesOutBatchRejectedDuringCopy() throws IOException {
		SimulatedDisk disk = new SimulatedDisk(1);
		Path directory = Path.of("/data");
		FileLog log = TestLogs.open(directory, TestLogs.SMALL, disk, new ArrayList<>());
		TestLogs.append(log, "a");
		appendUnconfirmed(log, disk, "rejected");
		int end = SegmentHeader.BYTES + RecordFormat.HEADER_BYTES + 5;
		Path cut = new StoreLayout(directory).segment(2);
		disk.faults((operation, path) -> {
			if (operation == SimulatedDisk.Operation.FORCE && !disk.exists(cut)) {
				try (DiskFile file = disk.create(cut)) {
					file.write(new SegmentHeader(log.storeId(), 2, 1, end, 1).encode(), 0);
				}
			}
			return SimulatedDisk.Fault.NONE;
		});
		assertThat(new Backup(disk, directory, this.file).run().lastIndex()).isEqualTo(1);
		assertThat(restore(this.file)).containsExactly("a");
	}

	@Test
	void leavesOutBatchRejectedSoonAfterCopy() throws IOException {
		Path directory = Path.of("/data");
		StoreLayout layout = new StoreLayout(directory);
		byte[] header = new byte[SegmentHeader.BYTES];
		AtomicBoolean forced = new AtomicBoolean();
		List<Long> reads = new ArrayList<>();
		SimulatedDisk disk = new SimulatedDisk(1) {
			@Override
			public synchronized DiskFile read(Path path) throws IOException {
				if (forced.get() && path.equals(layout.segment(1))) {
					reads.add(System.nanoTime());
					if (reads.size() == 2) {
						// During the pause after the first verification.
						LogDamageTests.put(this, layout.segment(2), header);
					}
				}
				return super.read(path);
			}
		};
		FileLog log = TestLogs.open(directory, TestLogs.SMALL, disk, new ArrayList<>());
		TestLogs.append(log, "a");
		appendUnconfirmed(log, disk, "rejected");
		int end = SegmentHeader.BYTES + RecordFormat.HEADER_BYTES + 5;
		new SegmentHeader(log.storeId(), 2, 1, end, 1).encode().get(header);
		disk.faults((operation, path) -> {
			forced.compareAndSet(false, operation == SimulatedDisk.Operation.FORCE);
			return SimulatedDisk.Fault.NONE;
		});
		assertThat(new Backup(disk, directory, this.file).run().lastIndex()).isEqualTo(1);
		assertThat(Duration.ofNanos(reads.get(1) - reads.get(0))).isGreaterThan(Duration.ofMillis(50));
		assertThat(restore(this.file)).containsExactly("a");
	}

	@Test
	void copiesTheBatchesThatWereCounted() throws IOException {
		Path directory = Path.of("/data");
		StoreLayout layout = new StoreLayout(directory);
		int[] reads = new int[1];
		SimulatedDisk disk = new SimulatedDisk(1) {
			@Override
			public synchronized DiskFile read(Path path) throws IOException {
				if (path.equals(layout.store()) && ++reads[0] == 2) {
					byte[] rejected = content(layout.segment(1));
					Arrays.fill(rejected, SegmentHeader.BYTES + RecordFormat.HEADER_BYTES + 5, rejected.length,
							(byte) 0);
					LogDamageTests.put(this, layout.segment(1), rejected);
				}
				return super.read(path);
			}
		};
		FileLog log = TestLogs.open(directory, TestLogs.SMALL, disk, new ArrayList<>());
		TestLogs.append(log, "a");
		appendUnconfirmed(log, disk, "rejected");
		reads[0] = 0;
		assertThat(new Backup(disk, directory, this.file).run().lastIndex()).isEqualTo(1);
		assertThat(reads[0]).isGreaterThan(2);
		assertThat(restore(this.file)).containsExactly("a");
	}

	@Test
	void copiesFilesThatAreDeletedMeanwhile() throws IOException {
		Path directory = Path.of("/data");
		List<String> entries = new ArrayList<>();
		AtomicReference<FileLog> log = new AtomicReference<>();
		int[] reads = new int[1];
		SimulatedDisk disk = new SimulatedDisk(1) {
			@Override
			public synchronized DiskFile read(Path path) throws IOException {
				FileLog open = log.get();
				if (open != null && path.equals(new StoreLayout(directory).store()) && ++reads[0] % 2 == 0) {
					appendAndCompact(open, entries);
				}
				return super.read(path);
			}
		};
		log.set(TestLogs.open(directory, TestLogs.SMALL, disk, new ArrayList<>()));
		appendAndCompact(Objects.requireNonNull(log.get()), entries);
		assertThat(new Backup(disk, directory, this.file).run().lastIndex()).isGreaterThanOrEqualTo(20);
		assertThat(restore(this.file)).hasSizeGreaterThanOrEqualTo(20).isEqualTo(entries.subList(0, 20));
	}

	private static void appendAndCompact(FileLog log, List<String> entries) throws IOException {
		for (int i = 0; i < 20; i++) {
			entries.add(entries.size() + "x".repeat(900));
			TestLogs.append(log, entries.get(entries.size() - 1));
		}
		TestLogs.snapshot(log, entries.subList(0, entries.size() - 5));
	}

	@Test
	void remembersRestoreUntilHandled() {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			assertThat(log.restored()).isNull();
			StoreDirectory.backup(this.directory, this.file);
		}
		Version after = Version.parse("1700000000000:7:node");
		StoreDirectory.restore(this.file, this.target, after);
		for (int start = 0; start < 2; start++) {
			try (FileLog log = TestLogs.open(this.target, new ArrayList<>())) {
				Restored restored = log.restored();
				assertThat(restored).isNotNull();
				assertThat(restored.after()).isEqualTo(after);
				assertThat(restored.time()).isBetween(Instant.now().minusSeconds(600), Instant.now());
				if (start == 1) {
					log.restoredHandled();
					assertThat(log.restored()).isNull();
				}
			}
		}
		try (FileLog log = TestLogs.open(this.target, new ArrayList<>())) {
			assertThat(log.restored()).isNull();
		}
	}

	@Test
	void refusesExistingFilesAndMissingDirectories() throws IOException {
		TestLogs.contents(this.directory);
		StoreDirectory.backup(this.directory, this.file);
		refusesBackup(this.directory, this.file, "exists. Use another name");
		refusesBackup(this.directory, this.parent.resolve("absent/a.zip"), "does not exist. Create it first");
		refusesBackup(this.parent.resolve("absent"), this.parent.resolve("a.zip"), "is not that of a store");
		refusesRestore(this.file, this.directory, "has files. Restore into an empty directory");
		refusesRestore(this.parent.resolve("absent.zip"), this.target, "cannot be read");
		assertThat(this.target).doesNotExist();
	}

	private static void refusesBackup(Path directory, Path file, String message) {
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> StoreDirectory.backup(directory, file))
			.withMessageContaining(message);
	}

	private static void refusesRestore(Path file, Path directory, String message) {
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> StoreDirectory.restore(file, directory, null))
			.withMessageContaining(message);
	}

	@Test
	void refusesToCopyDamagedStore() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.append(log, "a");
			TestLogs.append(log, "b");
		}
		Path segment = new StoreLayout(this.directory).segment(1);
		byte[] content = Files.readAllBytes(segment);
		content[70] ^= 1;
		Files.write(segment, content);
		assertThatExceptionOfType(DamagedLogException.class)
			.isThrownBy(() -> StoreDirectory.backup(this.directory, this.file));
		assertThat(this.file).doesNotExist();
		assertThat(this.parent.resolve("backup.zip.tmp")).doesNotExist();
	}

	@Test
	void refusesDamagedBackup() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.append(log, "a");
			StoreDirectory.backup(this.directory, this.file);
		}
		byte[] content = Files.readAllBytes(this.file);
		for (int size = 0; size < content.length; size += 97) {
			Path target = this.parent.resolve("cut" + size);
			Path file = Files.write(this.parent.resolve("cut.zip"), Arrays.copyOf(content, size));
			try {
				StoreDirectory.restore(file, target, null);
				assertThat(TestLogs.contents(target)).containsExactly("a");
			}
			catch (StoreDirectoryException ex) {
				assertThat(ex).hasMessageContaining("File " + file + " is not a backup of a store");
				if (Files.notExists(target)) {
					assertThat(size).isLessThan(97);
					continue;
				}
				assertThatExceptionOfType(StoreDirectoryException.class).isThrownBy(() -> TestLogs.contents(target));
			}
		}
	}

	@Test
	void refusesOtherFileWithoutTouchingDirectory() throws IOException {
		Files.writeString(this.file, "A letter");
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> StoreDirectory.restore(this.file, this.target, null))
			.withMessageContaining("is not a backup of a store")
			.withMessageContaining("Check the path")
			.satisfies((ex) -> assertThat(ex).hasMessageNotContaining("Delete directory"));
		assertThat(this.target).doesNotExist();
	}

	@Test
	void restoredStoreIsVerifiedBeforeItCanStart() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.append(log, "a");
		}
		try (OutputStream output = Files.newOutputStream(this.file);
				ZipOutputStream zip = new ZipOutputStream(output)) {
			zip.putNextEntry(new ZipEntry("store"));
			zip.write(Files.readAllBytes(this.directory.resolve("store")));
			zip.putNextEntry(new ZipEntry("log/00000000000000000001.log"));
			zip.write(Files.readAllBytes(new StoreLayout(this.directory).segment(1)));
			zip.putNextEntry(new ZipEntry(BackupFile.MANIFEST));
			zip.write("lastIndex=2".getBytes());
		}
		Path target = Path.of("/data");
		SimulatedDisk disk = new SimulatedDisk(1);
		List<Path> renamed = new ArrayList<>();
		disk.faults((operation, path) -> {
			if (operation == SimulatedDisk.Operation.RENAME) {
				renamed.add(path);
			}
			return SimulatedDisk.Fault.NONE;
		});
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> new Restore(disk, this.file, target).run(null))
			.withMessageContaining("it ends with entry 1 instead of 2");
		assertThat(renamed).doesNotContain(new StoreLayout(target).store());
	}

	@Test
	void restoreChangesDirectoryOnlyUnderLock() throws IOException {
		TestLogs.contents(this.directory);
		StoreDirectory.backup(this.directory, this.file);
		Path target = Path.of("/data");
		AtomicBoolean locked = new AtomicBoolean();
		List<Path> unlocked = new ArrayList<>();
		SimulatedDisk disk = new SimulatedDisk(1) {
			@Override
			public Closeable lock(StoreLayout layout) {
				assertThat(layout.directory()).isEqualTo(target);
				locked.set(true);
				return () -> locked.set(false);
			}
		};
		disk.faults((operation, path) -> {
			if (!locked.get()) {
				unlocked.add(path);
			}
			return SimulatedDisk.Fault.NONE;
		});
		new Restore(disk, this.file, target).run(null);
		assertThat(unlocked).contains(target).allMatch(target::startsWith);
		assertThat(locked).isFalse();
		assertThat(disk.exists(new StoreLayout(target).store())).isTrue();
	}

	@Test
	void restoreFindsStoreThatStartedBeforeItsLock() throws IOException {
		TestLogs.contents(this.directory);
		StoreDirectory.backup(this.directory, this.file);
		Path target = Path.of("/data");
		SimulatedDisk disk = new SimulatedDisk(1) {
			@Override
			public Closeable lock(StoreLayout layout) {
				LogDamageTests.put(this, layout.store(), new byte[] { 1 });
				return super.lock(layout);
			}
		};
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> new Restore(disk, this.file, target).run(null))
			.withMessageContaining("has files");
		assertThat(disk.content(new StoreLayout(target).store())).containsExactly(1);
	}

	@Test
	void restoreRefusesDirectoryInUse() throws IOException {
		TestLogs.contents(this.directory);
		StoreDirectory.backup(this.directory, this.file);
		Files.createDirectory(this.target);
		try (Closeable lock = new FileDisk().lock(new StoreLayout(this.target))) {
			assertThat(lock).isNotNull();
			refusesRestore(this.file, this.target, "is in use by this process");
		}
		assertThat(restore(this.file)).isEmpty();
	}

	@Test
	void restoresIntoDirectoryWithoutOtherFiles() throws IOException {
		try (FileLog log = TestLogs.open(this.directory, new ArrayList<>())) {
			TestLogs.append(log, "a");
		}
		StoreDirectory.backup(this.directory, this.file);
		Files.createDirectories(this.target.resolve("lost+found"));
		Files.createFile(this.target.resolve(StoreLayout.LOCK));
		Files.createFile(this.target.resolve("store.tmp"));
		assertThat(restore(this.file)).containsExactly("a");
	}

	@Test
	void refusedRestoreLeavesDirectoryAlone() throws IOException {
		TestLogs.contents(this.directory);
		StoreDirectory.backup(this.directory, this.file);
		Files.createDirectory(this.target);
		Path letter = Files.createFile(this.target.resolve("letter.txt"));
		refusesRestore(this.file, this.target, "has files");
		assertThat(this.target.toFile().listFiles()).containsExactly(letter.toFile());
	}

	@Test
	void refusesFileOutsideOfStore() throws IOException {
		for (String name : List.of("../evil", "log/../../evil", "log/00000000000000000001.log.tmp", "mqtt/a")) {
			Path target = this.parent.resolve("restored-" + name.length());
			try (OutputStream output = Files.newOutputStream(this.file);
					ZipOutputStream zip = new ZipOutputStream(output)) {
				zip.putNextEntry(new ZipEntry(name));
				zip.write(1);
			}
			refusesRestore(this.file, target, "it has a file '" + name + "'");
		}
		assertThat(this.parent.resolve("evil")).doesNotExist();
	}

}
