package io.statestore.dafka.consumer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import io.statestore.dafka.DafkaException;
import io.statestore.dafka.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Offsets in a file. */
class FileOffsetStoreTests {

	private static final TopicPartition ONE = new TopicPartition("t", "A");

	private static final TopicPartition TWO = new TopicPartition("ü\n=", "B");

	@TempDir
	Path directory;

	@Test
	void keepsOffsetsOfOtherPartitions() {
		Path file = this.directory.resolve("sub/offsets");
		OffsetStore store = OffsetStore.file(file);
		assertThat(store.load()).isEmpty();
		store.save(Map.of(ONE, 5L));
		store.save(Map.of(TWO, 7L));
		store.save(Map.of(ONE, 6L));
		assertThat(OffsetStore.file(file).load()).isEqualTo(Map.of(ONE, 6L, TWO, 7L));
	}

	@Test
	void createsFileReadableByOwnerOnly() throws IOException {
		Path file = this.directory.resolve("sub/offsets");
		OffsetStore.file(file).save(Map.of(ONE, 5L));
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(this.directory.resolve("sub"))))
			.isEqualTo("rwx------");
	}

	@Test
	void writesNothingWhenNothingChanged() throws IOException {
		Path file = this.directory.resolve("offsets");
		OffsetStore store = OffsetStore.file(file);
		store.save(Map.of(ONE, 5L, TWO, 7L));
		FileTime old = FileTime.fromMillis(1_000_000);
		Files.setLastModifiedTime(file, old);
		store.save(Map.of(ONE, 5L));
		assertThat(Files.getLastModifiedTime(file)).isEqualTo(old);
	}

	@Test
	void appendsOnlyChangedOffsets() throws IOException {
		Path file = this.directory.resolve("offsets");
		OffsetStore store = OffsetStore.file(file);
		Map<TopicPartition, Long> many = new HashMap<>();
		for (int i = 0; i < 10_000; i++) {
			many.put(new TopicPartition("t", "P" + i), 1L);
		}
		store.save(many);
		long size = Files.size(file);
		many.put(ONE, 5L);
		store.save(many);
		assertThat(Files.size(file) - size).isBetween(1L, 100L);
		assertThat(OffsetStore.file(file).load()).isEqualTo(many);
	}

	@Test
	void rewritesMostlyOutdatedFile() throws IOException {
		Path file = this.directory.resolve("offsets");
		OffsetStore store = OffsetStore.file(file);
		Map<TopicPartition, Long> many = new HashMap<>();
		for (long round = 0; round < 30; round++) {
			for (int i = 0; i < 10_000; i++) {
				many.put(new TopicPartition("t", "P" + i), round);
			}
			store.save(many);
		}
		assertThat(Files.size(file)).isLessThan(2_000_000);
		assertThat(OffsetStore.file(file).load()).isEqualTo(many);
	}

	@Test
	void ignoresIncompleteLastBatchWithAndWithoutZeros() throws IOException {
		Path file = this.directory.resolve("offsets");
		OffsetStore store = OffsetStore.file(file);
		store.save(Map.of(ONE, 5L));
		int size = (int) Files.size(file);
		store.save(Map.of(TWO, 7L));
		byte[] content = Files.readAllBytes(file);
		for (int length = size; length < content.length; length++) {
			for (int zeros : new int[] { 0, 1, 4, 8, 9, 100, 5_000 }) {
				Files.write(file, Arrays.copyOf(Arrays.copyOf(content, length), length + zeros));
				OffsetStore torn = OffsetStore.file(file);
				assertThat(torn.load()).isEqualTo(Map.of(ONE, 5L));
				torn.save(Map.of(ONE, 6L));
				assertThat(OffsetStore.file(file).load()).isEqualTo(Map.of(ONE, 6L));
			}
		}
	}

	@Test
	void refusesDamagedBatchBeforeAnother() throws IOException {
		Path file = this.directory.resolve("offsets");
		OffsetStore store = OffsetStore.file(file);
		store.save(Map.of(ONE, 5L));
		int size = (int) Files.size(file);
		store.save(Map.of(TWO, 7L));
		byte[] content = Files.readAllBytes(file);
		content[size - 1]++;
		Files.write(file, content);
		assertThatExceptionOfType(DafkaException.class).isThrownBy(() -> OffsetStore.file(file).load())
			.withStackTraceContaining("is damaged");
	}

	@Test
	void namesActionWhenFileIsDamaged() throws IOException {
		Path file = this.directory.resolve("offsets");
		Files.write(file, new byte[] { 0, 0, 0, 9, 0 });
		assertThatExceptionOfType(DafkaException.class).isThrownBy(() -> OffsetStore.file(file).load())
			.withMessageContaining("Restore it, or remove it");
	}

}
