package io.statestore.broker.standalone;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.stream.Stream;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.conformance.BackupReader;
import io.statestore.broker.log.EntryBatch;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.Restored;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the {@code check}, {@code backup}, and {@code restore} commands. */
class StoreCommandTests {

	private final TestCommand command = new TestCommand();

	private final Path store;

	private final Path file;

	private final Path restored;

	StoreCommandTests(@TempDir Path directory) {
		this.store = directory.resolve("store");
		this.file = directory.resolve("backup");
		this.restored = directory.resolve("restored");
	}

	@Test
	void checkReportsIntactStore() {
		append(3);
		assertThat(this.command.run("check", "--data-directory", this.store)).isZero();
		assertThat(this.command.output()).contains("Directory: " + this.store, "last entry 3", "The store is intact");
		assertThat(this.command.errors()).isEmpty();
	}

	@Test
	void checkReportsDamageWithFileAndPosition() throws IOException {
		append(3);
		Path segment = segment();
		overwrite(segment, 100);
		assertThat(this.command.run("check", "--data-directory", this.store)).isEqualTo(1);
		assertThat(this.command.output()).containsPattern("Damage: .*" + segment.getFileName() + ".* position \\d+")
			.contains("The store is damaged and does not start");
	}

	@Test
	void checkRefusesDirectoryWithoutStore() {
		assertThat(this.command.run("check", "--data-directory", this.store)).isEqualTo(3);
		assertThat(this.command.errors()).contains(this.store.toString()).hasLineCount(1);
	}

	/** Starts the store in its directory, and writes a backup. */
	private void backUp() {
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.port(0)
			.storage(StorageOptions.in(this.store))
			.start()) {
			BackupReader.write(broker.port(), this.file);
		}
	}

	@Test
	void restoresBackup() {
		backUp();
		assertThat(this.command.run("restore", "--from", this.file, "--data-directory", this.restored)).isZero();
		assertThat(this.command.output()).contains("Store as of ",
				"Start the broker with --data-directory " + this.restored);
		assertThat(restore().after()).isNull();
	}

	@Test
	void restorePassesVersion() {
		backUp();
		assertThat(this.command.run("restore", "--from", this.file, "--data-directory", this.restored,
				"--versions-after", "1700000000000:7:StateStore"))
			.isZero();
		assertThat(restore().after()).isEqualTo(new Version(1_700_000_000_000L, 7, "StateStore"));
	}

	@Test
	void restoreKeepsExistingStore() {
		backUp();
		assertThat(this.command.run("restore", "--from", this.file, "--data-directory", this.store)).isEqualTo(1);
		assertThat(this.command.errors()).contains(this.store.toString()).hasLineCount(1);
		assertThat(this.command.run("check", "--data-directory", this.store)).isZero();
	}

	@Test
	void restoreRefusesDamagedBackup() throws IOException {
		backUp();
		overwrite(this.file, 30);
		assertThat(this.command.run("restore", "--from", this.file, "--data-directory", this.restored)).isEqualTo(1);
		assertThat(this.command.errors()).contains(this.file + " is not an intact backup").hasLineCount(1);
		assertThat(this.restored).doesNotExist();
	}

	@Test
	void restoresForNodeInNewCluster() {
		backUp();
		assertThat(this.command.run("restore", "--new-cluster", "--from", this.file, "--data-directory", this.restored))
			.isZero();
		assertThat(this.command.output()).contains("0 keys restored to " + this.restored,
				"Restore the same file for each of its nodes, then start them with --new-cluster");
		assertThat(this.command.run("restore", "--new-cluster", "--from", this.file, "--data-directory", this.restored))
			.isEqualTo(1);
		assertThat(this.command.errors()).contains("Restore into an empty directory").hasLineCount(1);
	}

	@Test
	void backupRequiresNodeDirectory() {
		append(1);
		assertThat(this.command.run("backup", "--data-directory", this.store, "--to", this.file)).isEqualTo(1);
		assertThat(this.command.errors())
			.contains(this.store + " does not belong to a cluster node", "statestore backup")
			.hasLineCount(1);
		assertThat(this.file).doesNotExist();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "backup --data-directory d | Missing required option: '--to=<file>'",
					"check | Missing required option: '--data-directory=<directory>'",
					"restore --data-directory d | Missing required option: '--from=<file>'",
					"restore --data-directory d --from f --versions-after 17 | '17' is not a version" })
	void refusesInvalidOptions(String command, String error) {
		assertThat(this.command.run((Object[]) command.split(" "))).isEqualTo(2);
		assertThat(this.command.errors()).contains(error,
				"Usage: java -jar statestore-server-exec.jar " + command.split(" ")[0]);
	}

	/** Appends entries to the store's log, each in a separate batch. */
	private void append(int entries) {
		try (FileLog log = open(this.store)) {
			append(log, entries);
		}
	}

	private static void append(FileLog log, int entries) {
		EntryBatch batch = new EntryBatch();
		for (int i = 0; i < entries; i++) {
			batch.clear();
			batch.add(new byte[100]);
			log.append(batch);
		}
	}

	private Restored restore() {
		try (FileLog log = open(this.restored)) {
			assertThat(log.restored()).isNotNull();
			return log.restored();
		}
	}

	private static FileLog open(Path directory) {
		FileLog log = FileLog.open(directory,
				new LogOptions(Fsync.ALWAYS, Duration.ofSeconds(1), LogOptions.SEGMENT_BYTES));
		log.replay((firstIndex, entries) -> {
		});
		return log;
	}

	private Path segment() throws IOException {
		try (Stream<Path> files = Files.list(this.store.resolve("log"))) {
			return files.filter((file) -> file.toString().endsWith(".log")).findFirst().orElseThrow();
		}
	}

	private static void overwrite(Path file, long position) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			channel.write(ByteBuffer.allocate(32).putLong(0xBAD_BADL).rewind(), position);
		}
	}

}
