package io.statestore.dafka.endtoend;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Position;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.consumer.PartitionStatus;
import io.statestore.dafka.producer.Acknowledge;
import io.statestore.dafka.producer.CloseReport;
import io.statestore.dafka.producer.NotAcknowledgedException;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.producer.SendRefusedException;
import io.statestore.dafka.store.Store;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** Producers, stores, and consumers with sockets. */
@Timeout(120)
class StreamingTests {

	@Test
	void recordsAreAcknowledgedAndDelivered() throws Exception {
		Received received = new Received();
		try (Cluster cluster = new Cluster();
				Store store = cluster.store().start();
				Producer producer = cluster.producer().start();
				Consumer consumer = cluster.earliest("t").start(received)) {
			List<CompletableFuture<Position>> futures = send(producer, "t", 0, 1_000);
			for (int i = 0; i < 1_000; i++) {
				assertThat(futures.get(i).get(30, TimeUnit.SECONDS))
					.isEqualTo(new Position("t", producer.address(), i));
			}
			await("all records").until(() -> received.count.get() == 1_000);
			assertThat(received.wrong).isEmpty();
			assertThat(store.metrics().stored()).isEqualTo(1_000);
			await("no lag").until(() -> consumer.metrics().lag() == 0);
			assertThat(consumer.partitions()).containsEntry(new TopicPartition("t", producer.address()),
					new PartitionStatus(1_000, 999));
			assertThat(producer.close(Duration.ofSeconds(10)).isComplete()).isTrue();
		}
	}

	@Test
	void deliversRecordsFromSixProducers() {
		assertDeliversRecordsOfSixProducers(4_000);
	}

	@Tag("long")
	@Tag("nightly")
	@Test
	void deliversManyRecordsFromSixProducers() {
		assertDeliversRecordsOfSixProducers(20_000);
	}

	private static void assertDeliversRecordsOfSixProducers(int each) {
		Received received = new Received();
		try (Cluster cluster = new Cluster(); Store store = cluster.store().start()) {
			List<Producer> producers = new ArrayList<>();
			List<Thread> threads = new ArrayList<>();
			for (int i = 0; i < 6; i++) {
				Producer producer = cluster.producer().start();
				producers.add(producer);
				Thread thread = new Thread(() -> send(producer, "t", 0, each));
				thread.start();
				threads.add(thread);
			}
			join(threads);
			producers.forEach((producer) -> assertThat(producer.close(Duration.ofSeconds(30)).isComplete()).isTrue());
			assertThat(store.metrics().stored()).isEqualTo(6L * each);
			try (Consumer consumer = cluster.earliest("t").start(received)) {
				await("all records").until(() -> received.count.get() >= 6L * each);
				assertThat(received.wrong).isEmpty();
				assertThat(received.next).hasSize(6).allSatisfy((partition, next) -> assertThat(next).isEqualTo(each));
				assertThat(consumer.metrics().lost()).isZero();
			}
		}
	}

	@Test
	void readsDeadProducerHistoryBeyond100001Records() {
		assertHistoryOfDeadProducerIsRead(110_003);
	}

	@Tag("long")
	@Tag("nightly")
	@Test
	void readsDeadProducerHistoryBeyondTwoBlocks() {
		assertHistoryOfDeadProducerIsRead(250_003);
	}

	private static void assertHistoryOfDeadProducerIsRead(int count) {
		Received received = new Received();
		try (Cluster cluster = new Cluster(); Store store = cluster.store().start()) {
			try (Producer producer = cluster.producer().start()) {
				send(producer, "t", 0, count);
				assertThat(producer.close(Duration.ofSeconds(60)).isComplete()).isTrue();
			}
			assertThat(store.metrics().stored()).isEqualTo(count);
			try (Consumer consumer = cluster.earliest("t").start(received)) {
				await("all records").until(() -> received.count.get() >= count);
				assertThat(received.wrong).isEmpty();
				assertThat(consumer.metrics().lag()).isZero();
			}
			assertThat(received.count).hasValue(count);
		}
	}

	@Tag("long")
	@Test
	void streamingContinues60SecondsAfterTowerDied() {
		Received received = new Received();
		Ticker twentyTimesAsFast = () -> System.nanoTime() * 20;
		try (Cluster cluster = new Cluster()) {
			NodeOptions node = NodeOptions.builder()
				.tower(cluster.tower.address())
				.bindHost("127.0.0.1")
				.ticker(twentyTimesAsFast)
				.build();
			try (Store store = Store.builder(node).start();
					Producer producer = Producer.builder(node).start();
					Consumer consumer = Consumer.builder(node)
						.topics("t")
						.offsetReset(OffsetReset.EARLIEST)
						.start(received)) {
				send(producer, "t", 0, 1).forEach(CompletableFuture::join);
				await("the first record").until(() -> received.count.get() == 1);
				await("all connections").until(() -> consumer.metrics().node().peers() == 2);
				cluster.tower.close();
				long end = twentyTimesAsFast.nanos() + Duration.ofSeconds(60).toNanos();
				int sent = 1;
				while (twentyTimesAsFast.nanos() < end) {
					send(producer, "t", sent, 10).forEach(CompletableFuture::join);
					sent += 10;
					int expected = sent;
					await("records").until(() -> received.count.get() == expected);
				}
				assertThat(received.wrong).isEmpty();
				assertThat(consumer.metrics().node().peers()).isEqualTo(2);
				assertThat(store.metrics().stored()).isEqualTo(sent);
			}
		}
	}

	@Test
	void storesRecordsPublishedBeforeStoreStarted() {
		try (Cluster cluster = new Cluster(); Producer producer = cluster.producer().start()) {
			List<CompletableFuture<Position>> futures = send(producer, "t", 0, 5_000);
			await("published").until(() -> producer.metrics().sent() == 5_000);
			assertThat(futures).noneMatch(CompletableFuture::isDone);
			try (Store store = cluster.store().start()) {
				futures.forEach(CompletableFuture::join);
				assertThat(store.metrics().stored()).isEqualTo(5_000);
				assertThat(producer.metrics().pendingBytes()).isZero();
			}
		}
	}

	@Test
	void latestStartsWithRecordsAfterJoin() {
		Received received = new Received();
		try (Cluster cluster = new Cluster();
				Store store = cluster.store().start();
				Producer producer = cluster.producer().start()) {
			send(producer, "t", 0, 100).forEach(CompletableFuture::join);
			assertThat(store.metrics().stored()).isEqualTo(100);
			try (Consumer consumer = Consumer.builder(cluster.node())
				.topics("t")
				.partitionDiscoveryInterval(Duration.ofMillis(50))
				.start(received)) {
				// The producer's head determines where the consumer starts.
				await("the partition").until(() -> !consumer.partitions().isEmpty());
				send(producer, "t", 100, 50);
				await("the new records").until(() -> received.count.get() == 50);
				assertThat(received.wrong).isEmpty();
				assertThat(received.next).containsValue(150L);
			}
		}
	}

	@Test
	void ignoresTopicWithSamePrefix() {
		Received received = new Received();
		try (Cluster cluster = new Cluster();
				Producer producer = cluster.producer().start();
				Consumer consumer = cluster.earliest("t").start(received)) {
			send(producer, "tt", 0, 10);
			send(producer, "t", 0, 10);
			await("the records").until(() -> received.count.get() == 10);
			assertThat(received.next).hasSize(1);
			producer.close(Duration.ZERO);
			assertThat(consumer.metrics().node().malformed()).isZero();
		}
	}

	@Test
	void fullMemoryDelaysAndThenRefusesRecords() {
		try (Cluster cluster = new Cluster();
				Producer producer = cluster.producer().memory(10_000).maxBlock(Duration.ofMillis(50)).start()) {
			List<CompletableFuture<Position>> futures = send(producer, "t", 0, 100);
			CompletableFuture<Position> refused = futures.get(99);
			assertThat(refused).isCompletedExceptionally();
			assertThat(refused.handle((position, failure) -> failure).join()).isInstanceOf(SendRefusedException.class)
				.hasMessageContaining("check that a store runs");
			assertThat(producer.metrics().pendingBytes()).isBetween(8_000L, 10_000L);
			try (Store store = cluster.store().start()) {
				futures.get(0).join();
				await("room again").until(() -> producer.metrics().pendingBytes() == 0);
				assertThat(store.failure()).isNull();
			}
		}
	}

	@Test
	void closeReportsUnacknowledgedRecords() {
		try (Cluster cluster = new Cluster(); Producer producer = cluster.producer().start()) {
			List<CompletableFuture<Position>> futures = send(producer, "t", 0, 3);
			CloseReport report = producer.close(Duration.ofMillis(100));
			assertThat(report.unacknowledged())
				.containsExactly(new CloseReport.Range(new TopicPartition("t", producer.address()), 0, 3));
			assertThat(futures).allSatisfy((future) -> assertThat(future.handle((position, failure) -> failure).join())
				.isInstanceOf(NotAcknowledgedException.class));
			assertThat(producer.send("t", Bytes.EMPTY).handle((position, failure) -> failure).join())
				.isInstanceOf(SendRefusedException.class);
			assertThat(producer.close(Duration.ZERO)).isEqualTo(report);
		}
	}

	@Test
	void withoutAcknowledgmentsFuturesCompleteImmediately() {
		try (Cluster cluster = new Cluster();
				Producer producer = cluster.producer().acknowledge(Acknowledge.NONE).memory(100_000).start()) {
			List<CompletableFuture<Position>> futures = send(producer, "t", 0, 5_000);
			assertThat(futures.get(4_999).join().offset()).isEqualTo(4_999);
			assertThat(producer.metrics().pendingBytes()).isLessThanOrEqualTo(100_000);
			assertThat(producer.metrics().forgotten()).isPositive();
		}
	}

	@Test
	void continuationsDoNotRunOnNetworkThread() {
		try (Cluster cluster = new Cluster();
				Store store = cluster.store().start();
				Producer producer = cluster.producer().start()) {
			String thread = producer.send("t", Bytes.of("t/x/0"))
				.thenApply((position) -> Thread.currentThread().getName())
				.join();
			assertThat(thread).isNotEqualTo("dafka-producer");
			assertThat(store.failure()).isNull();
		}
	}

	@Test
	void refusesInvalidArguments() {
		try (Cluster cluster = new Cluster(); Producer producer = cluster.producer().start()) {
			assertThatIllegalArgumentException().isThrownBy(() -> producer.send("", Bytes.EMPTY))
				.withMessage("'topic' is of 0 bytes but must be 1 to 255 bytes of UTF-8 without NUL");
			assertThatIllegalArgumentException().isThrownBy(() -> producer.send("t", new byte[20 << 20]))
				.withMessageContaining("'maxMessageSize'");
			assertThatIllegalArgumentException().isThrownBy(() -> cluster.earliest().start((record) -> {
			})).withMessage("'topics' is empty but must be at least one topic");
		}
	}

	static List<CompletableFuture<Position>> send(Producer producer, String topic, int first, int count) {
		List<CompletableFuture<Position>> futures = new ArrayList<>();
		for (int i = first; i < first + count; i++) {
			futures.add(producer.send(topic, Bytes.of(Received.content(topic, producer.address(), i))));
		}
		return futures;
	}

	private static void join(List<Thread> threads) {
		for (Thread thread : threads) {
			try {
				thread.join();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

}
