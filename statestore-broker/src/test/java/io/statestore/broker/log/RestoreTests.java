package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.protocol.Version;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** Stores that are created from a backup. */
class RestoreTests {

	private static final Path SIMULATED = Path.of("/data");

	@TempDir
	private Path parent;

	private Path file;

	private Path target;

	@BeforeEach
	void writeBackup() throws IOException {
		this.file = TestLogs.backup(this.parent.resolve("backup"), "a");
		this.target = this.parent.resolve("restored");
	}

	private List<String> restore() {
		StoreDirectory.restore(this.file, this.target, null);
		return TestLogs.contents(this.target);
	}

	private void refuses(Path file, Path directory, String message) {
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> StoreDirectory.restore(file, directory, null))
			.withMessageContaining(message);
	}

	@Test
	void restoredStoreContinues() {
		assertThat(StoreDirectory.restore(this.file, this.target, null))
			.isEqualTo(new BackupFile(this.file, Instant.EPOCH));
		assertThat(StoreDirectory.check(this.target).isIntact()).isTrue();
		try (FileLog log = TestLogs.open(this.target, new ArrayList<>())) {
			TestLogs.append(log, "b");
		}
		assertThat(TestLogs.contents(this.target)).containsExactly("a", "b");
	}

	@Test
	void remembersRestoreUntilHandled() {
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
	void refusesTruncatedOrChangedBackup() throws IOException {
		byte[] content = Files.readAllBytes(this.file);
		for (int size = 0; size < content.length; size++) {
			refuses(Files.write(this.parent.resolve("cut"), Arrays.copyOf(content, size)), this.target,
					(size < 20) ? "is not a backup of a store" : "its digest is wrong, or its end is missing");
			byte[] changed = content.clone();
			changed[size] ^= 1;
			Path damaged = Files.write(this.parent.resolve("changed"), changed);
			assertThatExceptionOfType(LogException.class)
				.isThrownBy(() -> StoreDirectory.restore(damaged, this.target, null));
		}
		refuses(Files.write(this.parent.resolve("longer"), Arrays.copyOf(content, content.length + 1)), this.target,
				"its digest is wrong");
		assertThat(this.target).doesNotExist();
	}

	@Test
	void refusesOtherFilesWithoutTouchingDirectory() throws IOException {
		refuses(Files.writeString(this.parent.resolve("other"), "A letter to a friend"), this.target,
				"is not a backup of a store. Check the path");
		refuses(this.parent.resolve("absent"), this.target, "cannot be read. Check the path");
		assertThat(this.target).doesNotExist();
	}

	@Test
	void refusesBackupFromNewerVersion() throws IOException {
		byte[] content = Files.readAllBytes(this.file);
		content[11]++;
		refuses(Files.write(this.file, content), this.target, "A newer version wrote it: use that version");
	}

	@Test
	void changesDirectoryOnlyUnderLock() throws IOException {
		AtomicBoolean locked = new AtomicBoolean();
		List<Path> unlocked = new ArrayList<>();
		SimulatedDisk disk = new SimulatedDisk(1) {
			@Override
			public Closeable lock(StoreLayout layout) {
				assertThat(layout.directory()).isEqualTo(SIMULATED);
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
		StoreCreation.restore(disk, new StoreLayout(SIMULATED), BackupFile.verify(this.file), null);
		assertThat(unlocked).contains(SIMULATED).allMatch(SIMULATED::startsWith);
		assertThat(locked).isFalse();
		assertThat(disk.exists(new StoreLayout(SIMULATED).store())).isTrue();
	}

	@Test
	void refusesDirectoryFilledBeforeLock() throws IOException {
		SimulatedDisk disk = new SimulatedDisk(1) {
			@Override
			public Closeable lock(StoreLayout layout) {
				LogDamageTests.put(this, layout.store(), new byte[] { 1 });
				return super.lock(layout);
			}
		};
		BackupFile backup = BackupFile.verify(this.file);
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> StoreCreation.restore(disk, new StoreLayout(SIMULATED), backup, null))
			.withMessageContaining("has files");
		assertThat(disk.content(new StoreLayout(SIMULATED).store())).containsExactly(1);
	}

	@Test
	void startRefusesDirectoryAfterFailedRestore() throws IOException {
		SimulatedDisk disk = new SimulatedDisk(1);
		disk.capacity(1);
		BackupFile backup = BackupFile.verify(this.file);
		assertThatIOException().isThrownBy(() -> StoreCreation.restore(disk, new StoreLayout(SIMULATED), backup, null))
			.withMessageContaining("No space left on device");
		disk.capacity(Long.MAX_VALUE);
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> FileLog.open(SIMULATED, TestLogs.SMALL, disk))
			.withMessageContaining("Restore a backup into an empty directory");
	}

	@Test
	void refusesDirectoryInUse() throws IOException {
		Files.createDirectory(this.target);
		try (Closeable lock = new FileDisk().lock(new StoreLayout(this.target))) {
			assertThat(lock).isNotNull();
			refuses(this.file, this.target, "is in use by this process");
		}
		assertThat(restore()).containsExactly("a");
	}

	@Test
	void restoresIntoDirectoryWithoutOtherFiles() throws IOException {
		Files.createDirectories(this.target.resolve("lost+found"));
		Files.createFile(this.target.resolve(StoreLayout.LOCK));
		Files.createFile(this.target.resolve("store.tmp"));
		assertThat(restore()).containsExactly("a");
	}

	@Test
	void refusedRestoreLeavesDirectoryUnchanged() throws IOException {
		Files.createDirectory(this.target);
		Path letter = Files.createFile(this.target.resolve("letter.txt"));
		refuses(this.file, this.target, "has files, such as 'letter.txt'. Restore into an empty directory");
		assertThat(this.target.toFile().listFiles()).containsExactly(letter.toFile());
	}

}
