package io.statestore.dafka.producer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.dafka.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Records that a {@link ProducerPartition} keeps and its answers to requests. */
class ProducerPartitionTests {

	@TempDir
	Path directory;

	@Test
	void keepsRecordsUntilAcknowledged() {
		ProducerPartition partition = partition(Identity.random());
		List<Pending> acknowledged = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			partition.add(pending(partition));
		}
		partition.acknowledge(99, acknowledged::add);
		assertThat(acknowledged).hasSize(100);
		assertThat(partition.get(99)).isNull();
		assertThat(partition.get(100)).satisfies((pending) -> assertThat(pending.sequence).isEqualTo(100));
		assertThat(partition.answerFrom(50, 1)).as("a store has it").isEqualTo(Long.MAX_VALUE);
		partition.acknowledge(10, acknowledged::add);
		partition.acknowledge(1_000, acknowledged::add);
		assertThat(acknowledged).hasSize(200);
		assertThat(partition.isEmpty()).isTrue();
	}

	@Test
	void answersRequestWithKeptRecords() {
		ProducerPartition partition = partition(Identity.random());
		for (int i = 0; i < 20; i++) {
			partition.add(pending(partition));
		}
		partition.acknowledge(9, (pending) -> {
		});
		assertThat(partition.answerFrom(0, 10)).isEqualTo(Long.MAX_VALUE);
		assertThat(partition.answerFrom(0, 11)).isEqualTo(10);
		assertThat(partition.answerFrom(12, 1)).isEqualTo(12);
	}

	@Test
	void storeMayAlreadyHaveResentRecords() {
		try (Identity identity = Identity.directory(this.directory)) {
			identity.counter("t").setNext(10);
			identity.counter("t").setAcknowledged(12);
			ProducerPartition partition = partition(identity);
			assertThat(partition.next()).isEqualTo(10);
			assertThat(partition.counted()).isEqualTo(12);
			List<Pending> acknowledged = new ArrayList<>();
			partition.add(pending(partition));
			partition.acknowledge(11, acknowledged::add);
			assertThat(acknowledged).hasSize(1);
			for (int i = 0; i < 2; i++) {
				partition.add(pending(partition));
			}
			assertThat(partition.counted()).isEqualTo(13);
		}
	}

	@Test
	void answersRequestForRecordsLostInRestart() {
		try (Identity identity = Identity.directory(this.directory)) {
			identity.counter("t").setNext(20);
			identity.counter("t").setAcknowledged(10);
			ProducerPartition partition = partition(identity);
			partition.add(pending(partition));
			assertThat(partition.answerFrom(15, 1)).isEqualTo(20);
			assertThat(partition.answerFrom(5, 1)).isEqualTo(Long.MAX_VALUE);
			assertThat(partition.next()).isEqualTo(21);
		}
	}

	@Test
	void doesNotAnswerForRecordsAcknowledgedAfterRestart() {
		try (Identity identity = Identity.directory(this.directory)) {
			identity.counter("t").setNext(20);
			identity.counter("t").setAcknowledged(10);
			ProducerPartition partition = partition(identity);
			partition.add(pending(partition));
			partition.add(pending(partition));
			partition.acknowledge(20, (pending) -> {
			});
			assertThat(partition.answerFrom(15, 1)).as("a store has 20").isEqualTo(Long.MAX_VALUE);
			assertThat(partition.answerFrom(21, 1)).isEqualTo(21);
		}
	}

	@Test
	void answersRequestForEvictedRecordsUnlessStored() {
		ProducerPartition partition = partition(Identity.random());
		for (int i = 0; i < 20; i++) {
			partition.add(pending(partition));
		}
		partition.acknowledge(4, (pending) -> {
		});
		partition.removeTo(10, (pending) -> {
		});
		assertThat(partition.answerFrom(4, 1)).isEqualTo(Long.MAX_VALUE);
		assertThat(partition.answerFrom(5, 1)).isEqualTo(10);
		partition.acknowledge(7, (pending) -> {
		});
		assertThat(partition.answerFrom(7, 1)).as("a store has it by now").isEqualTo(Long.MAX_VALUE);
		assertThat(partition.answerFrom(8, 1)).isEqualTo(10);
	}

	private static ProducerPartition partition(Identity identity) {
		return new ProducerPartition(Bytes.of(identity.address()), Bytes.of("t"), identity.counter("t"));
	}

	private static Pending pending(ProducerPartition partition) {
		return new Pending(partition, Bytes.EMPTY, new CompletableFuture<>());
	}

}
