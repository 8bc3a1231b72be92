package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import ch.qos.logback.classic.Level;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** Files of records, as they are after a crash or a failure of the disk. */
@Isolated("captures the log")
class RecordFileTests {

	@TempDir
	Path directory;

	private final List<String> records = new ArrayList<>();

	/** Called when the entry of the file in its folder is written to the disk. */
	private Disk disk = Disk.REAL;

	private Path path() {
		return this.directory.resolve("records");
	}

	private RecordFile open() throws IOException {
		this.records.clear();
		return RecordFile.open(path(), (record) -> {
			byte[] bytes = new byte[record.remaining()];
			record.get(bytes);
			this.records.add(new String(bytes, StandardCharsets.UTF_8));
		}, (path, isFolder) -> this.disk.force(path, isFolder));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private void write(String... texts) throws IOException {
		try (RecordFile file = open()) {
			for (String text : texts) {
				file.force(file.append(bytes(text)));
			}
		}
	}

	/** Returns the file without the zeros behind its end. */
	private byte[] content() throws IOException {
		byte[] bytes = Files.readAllBytes(path());
		int end = bytes.length;
		while (bytes[end - 1] == 0) {
			end--;
		}
		return Arrays.copyOf(bytes, end);
	}

	@Test
	void returnsRecordsInTheirOrder() throws IOException {
		write("a", "bc");
		write("d");
		open().close();
		assertThat(this.records).containsExactly("a", "bc", "d");
	}

	@Test
	void cutsOffIncompleteRecord() throws IOException {
		write("first", "second");
		byte[] complete = content();
		// The next record begins with three zeros, which are not a trace of it.
		int firstEnd = 20 + 16 + 5 + 3;
		for (int size = firstEnd + 1; size < complete.length; size++) {
			Files.write(path(), Arrays.copyOf(complete, size));
			try (CapturedLog log = new CapturedLog(RecordFile.class, Level.WARN); RecordFile file = open()) {
				assertThat(this.records).as("size %d", size).containsExactly("first");
				assertThat(log.messages()).hasSize(1);
				file.append(bytes("third"));
			}
			open().close();
			assertThat(this.records).containsExactly("first", "third");
		}
	}

	@Test
	void refusesFlippedBitBeforeLastRecord() throws IOException {
		write("first", "second", "third");
		byte[] complete = content();
		Random random = new Random(1);
		for (int i = 0; i < 200; i++) {
			byte[] damaged = complete.clone();
			int position = random.nextInt(20 + 16 + 5 + 16 + 6);
			damaged[position] ^= (byte) (1 << random.nextInt(8));
			Files.write(path(), damaged);
			assertThatExceptionOfType(IllegalStateException.class).as("position %d", position)
				.isThrownBy(this::open)
				.withMessageContaining(path().toString());
		}
	}

	@Test
	void cutsOffFromMissingRecordThatWasNotForced() throws IOException {
		try (RecordFile file = open()) {
			file.force(file.append(bytes("first")));
			file.append(bytes("second"));
			file.append(bytes("third"));
		}
		byte[] content = content();
		Arrays.fill(content, 20 + 16 + 5, 20 + 16 + 5 + 16 + 6, (byte) 0);
		Files.write(path(), content);
		open().close();
		assertThat(this.records).containsExactly("first");
	}

	@Test
	void cutsOffIncompleteRecordBeforeZeros() throws IOException {
		write("first", "second");
		byte[] content = content();
		Files.write(path(), Arrays.copyOf(Arrays.copyOf(content, content.length - 1), content.length + 1_000));
		try (CapturedLog log = new CapturedLog(RecordFile.class, Level.WARN); RecordFile file = open()) {
			assertThat(log.messages()).hasSize(1);
			file.append(bytes("x"));
		}
		open().close();
		assertThat(this.records).containsExactly("first", "x");
	}

	@Test
	void keepsZerosBehindLastRecord() throws IOException {
		write("a");
		long size = Files.size(path());
		try (CapturedLog log = new CapturedLog(RecordFile.class, Level.WARN); RecordFile file = open()) {
			assertThat(log.messages()).isEmpty();
			file.append(new byte[1_000]);
		}
		assertThat(Files.size(path())).isEqualTo(size).isGreaterThan(AppendedFile.AHEAD);
	}

	@Test
	void replacesAllRecords() throws IOException {
		try (RecordFile file = open()) {
			file.append(bytes("a"));
			long mark = file.append(bytes("b"));
			assertThat(file.replace(() -> List.of(bytes("ab")), (bytes) -> true)).isTrue();
			file.force(mark);
			file.force(file.append(bytes("c")));
		}
		open().close();
		assertThat(this.records).containsExactly("ab", "c");
		assertThat(this.directory).isDirectoryContaining((path) -> path.equals(path()));
	}

	@Test
	void appendsWhileRecordsAreReplaced() throws IOException {
		try (RecordFile file = open()) {
			file.append(bytes("a"));
			file.append(bytes("b"));
			this.disk = (path, isFolder) -> appendConcurrently(file, "d");
			file.replace(() -> List.of(bytes("ab")), (bytes) -> {
				appendConcurrently(file, "c");
				return true;
			});
			file.force(file.append(bytes("e")));
		}
		open().close();
		assertThat(this.records).containsExactly("ab", "c", "d", "e");
	}

	private static void appendConcurrently(RecordFile file, String text) {
		assertThat(CompletableFuture.supplyAsync(() -> {
			try {
				return file.append(bytes(text));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		})).succeedsWithin(Duration.ofSeconds(10));
	}

	@Test
	void keepsRecordsWithoutSpaceForNewOnes() throws IOException {
		try (RecordFile file = open()) {
			file.append(bytes("a"));
			assertThat(file.replace(() -> List.of(new byte[1_000]), (bytes) -> bytes < 1_000)).isFalse();
			file.append(bytes("b"));
		}
		open().close();
		assertThat(this.records).containsExactly("a", "b");
	}

	@Test
	void deletesReplacementThatFailed() throws IOException {
		try (RecordFile file = open()) {
			assertThatIOException().isThrownBy(() -> file.replace(() -> {
				moveAside();
				return List.of(bytes("a"));
			}, (bytes) -> true));
			assertThat(this.directory.resolve("records.new")).doesNotExist();
			file.force(file.append(bytes("b")));
		}
	}

	/** Lets the file not be replaced. */
	private void moveAside() {
		try {
			Files.move(path(), this.directory.resolve("aside"));
			Files.createDirectories(path().resolve("folder"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void refusesRecordsIfNewFileMayDisappear() throws IOException {
		try (RecordFile file = open()) {
			long mark = file.append(bytes("a"));
			this.disk = (path, isFolder) -> {
				throw new IOException("broken");
			};
			assertThatIOException().isThrownBy(() -> file.replace(() -> List.of(bytes("ab")), (bytes) -> true));
			assertThat(file.hasFailed()).isTrue();
			assertThatIOException().isThrownBy(() -> file.force(mark));
			assertThatIOException().isThrownBy(() -> file.append(bytes("b")));
			this.disk = Disk.REAL;
			file.replace(() -> List.of(bytes("ab")), (bytes) -> true);
			file.force(file.append(bytes("c")));
		}
		open().close();
		assertThat(this.records).containsExactly("ab", "c");
	}

	@Test
	void refusesDamageToRecordsOfEarlierProcess() throws IOException {
		try (RecordFile file = open()) {
			file.append(bytes("first"));
		}
		try (RecordFile file = open()) {
			file.forceAll();
			file.append(bytes("second"));
		}
		byte[] content = Files.readAllBytes(path());
		content[20 + 16] ^= 1;
		Files.write(path(), content);
		assertThatExceptionOfType(DamagedSessionsException.class).isThrownBy(this::open);
	}

	@Test
	void ignoresReplacementThatWasNotCompleted() throws IOException {
		write("a");
		Files.write(this.directory.resolve("records.new"), bytes("half"));
		open().close();
		assertThat(this.records).containsExactly("a");
		assertThat(this.directory.resolve("records.new")).doesNotExist();
	}

	@Test
	void refusesFileWithoutHeader() throws IOException {
		Files.write(path(), new byte[19]);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::open)
			.withMessageContaining(path().toString());
	}

	@Test
	void refusesNewerFormat() throws IOException {
		write("a");
		byte[] newer = Files.readAllBytes(path());
		newer[7] = 2;
		Files.write(path(), newer);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::open)
			.withMessageContaining("format 2")
			.withMessageContaining("newer");
	}

}
