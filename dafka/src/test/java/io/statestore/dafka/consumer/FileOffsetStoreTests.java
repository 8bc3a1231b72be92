package io.statestore.dafka.consumer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
	void savesAreAddedToWhatIsThere() {
		Path file = this.directory.resolve("sub/offsets");
		OffsetStore store = OffsetStore.file(file);
		assertThat(store.load()).isEmpty();
		store.save(Map.of(ONE, 5L));
		store.save(Map.of(TWO, 7L));
		store.save(Map.of(ONE, 6L));
		assertThat(OffsetStore.file(file).load()).isEqualTo(Map.of(ONE, 6L, TWO, 7L));
	}

	@Test
	void aDamagedFileIsAClearError() throws IOException {
		Path file = this.directory.resolve("offsets");
		Files.write(file, new byte[] { 0, 0, 0, 9, 0 });
		assertThatExceptionOfType(DafkaException.class).isThrownBy(() -> OffsetStore.file(file).load())
			.withMessageContaining("restore it, or remove it");
	}

}
