package io.statestore.dafka.store;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaException;
import io.statestore.dafka.reading.internal.PartitionKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Log that uses RocksDB. Most tests close it and open it again. */
class RecordLogTests {

	private static final PartitionKey ONE = new PartitionKey(Bytes.of("A"), Bytes.of("t"));

	private static final PartitionKey TWO = new PartitionKey(Bytes.of("B"), Bytes.of("t"));

	@TempDir
	Path directory;

	private RecordLog log = new RecordLog(new MemoryEngine());

	@AfterEach
	void close() {
		this.log.close();
	}

	@Test
	void keepsFlushedRecordsAfterReopening() {
		open();
		append(ONE, 0, 10, 1);
		append(TWO, 0, 3, 1);
		append(ONE, 10, 5, 2);
		open();
		assertThat(read(ONE, 0)).containsExactlyElementsOf(expected(0, 15));
		assertThat(read(TWO, 0)).containsExactlyElementsOf(expected(0, 3));
		assertThat(this.log.partition(ONE).next()).isEqualTo(15);
	}

	@Test
	void readsFromMiddleOfBlock() {
		open();
		append(ONE, 0, 10, 1);
		append(ONE, 10, 10, 1);
		assertThat(read(ONE, 7)).containsExactlyElementsOf(expected(7, 20));
		assertThat(read(ONE, 20)).isEmpty();
	}

	@Test
	void splitsManyRecordsIntoBlocks() {
		open();
		append(ONE, 0, 100_000, 1);
		assertThat(read(ONE, 0)).hasSize(100_000);
		assertThat(read(ONE, 77_777)).containsExactlyElementsOf(expected(77_777, 100_000));
		open();
		assertThat(this.log.partition(ONE).next()).isEqualTo(100_000);
	}

	@Test
	void reopensWithGapForLostRecords() {
		open();
		append(ONE, 0, 2, 1);
		this.log.lost(this.log.partition(ONE), 5, 1);
		append(ONE, 5, 2, 1);
		open();
		assertThat(read(ONE, 0)).containsExactly("0", "1", "5", "6");
		assertThat(read(ONE, 3)).containsExactly("5", "6");
	}

	@Test
	void retentionByAgeKeepsNextSequenceNumber() {
		open();
		append(ONE, 0, 10, 1_000);
		append(ONE, 10, 10, 2_000);
		append(TWO, 0, 10, 1_000);
		this.log.retain(2_000, Long.MAX_VALUE);
		assertThat(read(ONE, 0)).containsExactlyElementsOf(expected(10, 20));
		assertThat(read(TWO, 0)).isEmpty();
		open();
		assertThat(this.log.partition(TWO).next()).isEqualTo(10);
		append(TWO, 10, 1, 3_000);
		open();
		assertThat(read(TWO, 0)).containsExactly("10");
	}

	@Test
	void retentionBySizeRemovesOldestBlocks() {
		open();
		append(ONE, 0, 10, 1_000);
		append(TWO, 0, 10, 2_000);
		append(ONE, 10, 10, 3_000);
		long block = this.log.bytes() / 3;
		this.log.retain(0, 2 * block + block / 2);
		assertThat(read(ONE, 0)).containsExactlyElementsOf(expected(10, 20));
		assertThat(read(TWO, 0)).hasSize(10);
		this.log.retain(0, 0);
		assertThat(this.log.bytes()).isZero();
	}

	@Test
	void refusesDamagedBlock() {
		open();
		append(ONE, 0, 10, 1);
		this.log.close();
		try (RocksEngine engine = RocksEngine.open(this.directory)) {
			engine.scan(new byte[] { 'r' }, (key, value) -> {
				value[value.length - 1]++;
				engine.write(List.of(new Engine.Entry(key, value)), false);
				return false;
			});
		}
		assertThatExceptionOfType(StorageException.class).isThrownBy(this::open)
			.withMessageContaining("TopicPartition[topic=t, partition=A] at offset 0")
			.withMessageContaining("checksum");
	}

	@Test
	void refusesMissingBlock() {
		open();
		append(ONE, 0, 10, 1);
		append(ONE, 10, 10, 1);
		append(ONE, 20, 10, 1);
		this.log.close();
		try (RocksEngine engine = RocksEngine.open(this.directory)) {
			List<byte[]> keys = new ArrayList<>();
			engine.scan(new byte[] { 'r' }, (key, value) -> keys.add(key));
			engine.remove(List.of(new Engine.Range(keys.get(1), keys.get(2))));
		}
		assertThatExceptionOfType(StorageException.class).isThrownBy(this::open).withMessageContaining("is missing");
	}

	@Test
	void refusesSecondStoreInDirectory() {
		open();
		assertThatExceptionOfType(DafkaException.class).isThrownBy(() -> RocksEngine.open(this.directory))
			.withMessageContaining("another store uses it")
			.withMessageContaining(this.directory.toString());
	}

	@Test
	void memoryEngineBehavesTheSame() {
		append(ONE, 0, 10, 1_000);
		append(TWO, 0, 10, 2_000);
		append(ONE, 10, 10, 3_000);
		assertThat(read(ONE, 7)).containsExactlyElementsOf(expected(7, 20));
		this.log.retain(2_500, Long.MAX_VALUE);
		assertThat(read(ONE, 0)).containsExactlyElementsOf(expected(10, 20));
		assertThat(read(TWO, 0)).isEmpty();
	}

	private void open() {
		this.log.close();
		this.log = new RecordLog(new MemoryEngine());
		this.log = new RecordLog(RocksEngine.open(this.directory));
	}

	private void append(PartitionKey key, int first, int count, long millis) {
		StoredPartition partition = this.log.partition(key);
		expected(first, first + count).forEach((text) -> this.log.append(partition, text.getBytes()));
		assertThat(this.log.flush(false, millis)).containsExactly(partition);
	}

	private List<String> read(PartitionKey key, long from) {
		List<String> found = new ArrayList<>();
		this.log.read(this.log.partition(key), from, (sequence, content) -> {
			assertThat(new String(content)).isEqualTo(String.valueOf(sequence));
			return found.add(new String(content));
		});
		return found;
	}

	private static List<String> expected(int from, int to) {
		return IntStream.range(from, to).mapToObj(String::valueOf).toList();
	}

}
