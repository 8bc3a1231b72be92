package io.statestore.dafka.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Directories that are damaged, used by another process, or full. */
class StoreDirectoryTests {

	@TempDir
	Path directory;

	@Test
	void namesDirectoryWithDamagedTable() throws IOException {
		fill();
		damage(file(".sst"));
		assertRefused("restore it from a copy");
	}

	@Test
	void namesDirectoryWithMissingTable() throws IOException {
		fill();
		Files.delete(file(".sst"));
		assertRefused("restore it from a copy");
	}

	@Test
	void namesDirectoryWithDamagedManifest() throws IOException {
		fill();
		damage(records().resolve(Files.readString(records().resolve("CURRENT")).strip()));
		assertRefused("restore it from a copy");
	}

	@Test
	void createsDirectoryReadableByOwnerOnly() throws IOException {
		Path nested = records().resolve("store");
		RocksEngine.open(nested).close();
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(nested))).isEqualTo("rwx------");
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(records()))).isEqualTo("rwx------");
	}

	@Test
	void refusesPathThatIsNotADirectory() throws IOException {
		Files.createFile(records());
		assertRefused("check that it is a directory");
	}

	@Test
	void refusesDirectoryInUseByAnotherProcess() throws Exception {
		try (JavaProcess process = StorageProcess.start("hold", records())) {
			process.await("^ready$");
			assertRefused("another store uses it");
		}
		RocksEngine.open(records()).close();
	}

	@Tag("long")
	@Test
	void failsOnFullDiskAndKeepsEarlierWrites() throws Exception {
		try (JavaProcess process = StorageProcess.startOnSmallDisk("fill", records())) {
			int exitCode = process.awaitExit();
			assumeTrue(process.output().contains("full: "), "a small file system cannot be mounted here");
			assertThat(process.output()).containsPattern("(?m)^full: .*" + Pattern.quote(records().toString()))
				.containsPattern("(?m)^full: .*free space on the disk")
				.containsPattern("(?m)^kept: true$");
			assertThat(exitCode).isZero();
		}
	}

	private Path records() {
		return this.directory.resolve("records");
	}

	/** Writes records of one partition to a table and other records to the log. */
	private void fill() {
		Random random = new Random(1);
		for (int part = 0; part < 2; part++) {
			try (RecordLog log = new RecordLog(RocksEngine.open(records()))) {
				StoredPartition partition = log.partition(new PartitionKey(Bytes.of("A"), Bytes.of("t")));
				for (int i = 0; i < 100; i++) {
					byte[] content = new byte[1_000];
					random.nextBytes(content);
					log.append(partition, content);
				}
				log.flush(true, 1);
			}
		}
	}

	private Path file(String suffix) throws IOException {
		try (Stream<Path> files = Files.list(records())) {
			List<Path> found = files.filter((file) -> file.toString().endsWith(suffix)).toList();
			assertThat(found).isNotEmpty();
			return found.get(0);
		}
	}

	private static void damage(Path file) throws IOException {
		byte[] garbage = new byte[16];
		Arrays.fill(garbage, (byte) 0x55);
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			channel.write(ByteBuffer.wrap(garbage), channel.size() / 4);
		}
	}

	private void assertRefused(String nextStep) {
		assertThatExceptionOfType(StorageException.class)
			.isThrownBy(() -> new RecordLog(RocksEngine.open(records())).close())
			.withMessageContaining(records().toString())
			.withMessageContaining(nextStep);
	}

}
