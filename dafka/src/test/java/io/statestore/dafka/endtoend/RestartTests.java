package io.statestore.dafka.endtoend;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaException;
import io.statestore.dafka.Position;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.producer.Identity;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.store.Fsync;
import io.statestore.dafka.store.Store;
import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static io.statestore.dafka.endtoend.StreamingTests.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** State that survives restarts of stores, producers, and consumers. */
@Tag("long")
@Timeout(180)
class RestartTests {

	@TempDir
	Path directory;

	@Test
	void acknowledgedRecordsSurviveStoreKill() throws Exception {
		Received received = new Received();
		try (Cluster cluster = new Cluster()) {
			List<CompletableFuture<Position>> futures;
			long acknowledged;
			try (JavaProcess process = StoreProcess.start(cluster.tower.address(), this.directory)) {
				Producer producer = cluster.producer().start();
				futures = send(producer, "t", 0, 50_000);
				futures.get(10_000).join();
				process.kill();
				producer.close(Duration.ZERO);
				acknowledged = futures.stream()
					.filter((future) -> future.isDone() && !future.isCompletedExceptionally())
					.count();
			}
			assertThat(acknowledged).isGreaterThan(10_000);
			try (Store store = cluster.store(this.directory);
					Consumer consumer = cluster.earliest("t").start(received)) {
				await("what was acknowledged").until(() -> received.count.get() >= acknowledged);
				assertThat(received.wrong).isEmpty();
				assertThat(received.next.values()).first()
					.satisfies((next) -> assertThat(next).isGreaterThanOrEqualTo(acknowledged));
				assertThat(consumer.metrics().lost()).isZero();
				assertThat(store.failure()).isNull();
			}
		}
	}

	@Test
	void restartedStoreReceivesRemainingRecords() {
		Received received = new Received();
		try (Cluster cluster = new Cluster(); Producer producer = cluster.producer().start()) {
			try (Store store = cluster.store().directory(this.directory).fsync(Fsync.BATCH).start()) {
				send(producer, "t", 0, 1_000).forEach(CompletableFuture::join);
				assertThat(store.metrics().stored()).isEqualTo(1_000);
			}
			List<CompletableFuture<Position>> meanwhile = send(producer, "t", 1_000, 1_000);
			try (Store store = cluster.store().directory(this.directory).fsync(Fsync.RECORD).start();
					Consumer consumer = cluster.earliest("t").start(received)) {
				meanwhile.forEach(CompletableFuture::join);
				await("all records").until(() -> received.count.get() == 2_000);
				assertThat(received.wrong).isEmpty();
				assertThat(store.metrics().stored()).isEqualTo(1_000);
				assertThat(consumer.metrics().lost()).isZero();
			}
		}
	}

	@Test
	void producerWithIdentityContinuesItsPartition() {
		Received received = new Received();
		try (Cluster cluster = new Cluster();
				Store store = cluster.store().start();
				Consumer consumer = cluster.earliest("t").start(received)) {
			String address;
			try (Producer first = identified(cluster)) {
				address = first.address();
				send(first, "t", 0, 100).forEach(CompletableFuture::join);
			}
			try (Producer second = identified(cluster)) {
				assertThat(second.address()).isEqualTo(address);
				assertThat(send(second, "t", 100, 100).get(0).join()).isEqualTo(new Position("t", address, 100));
				await("all records").until(() -> received.count.get() == 200);
				assertThat(received.wrong).isEmpty();
				assertThat(received.next).hasSize(1);
				await("all stored").until(() -> store.metrics().stored() == 200);
				assertThat(store.metrics().duplicates()).isZero();
				assertThat(consumer.metrics().lost()).isZero();
			}
		}
	}

	@Test
	void lostRecordsDoNotBlockRestartedProducer() {
		try (Cluster cluster = new Cluster()) {
			try (Store store = cluster.store(this.directory.resolve("store"))) {
				Producer first = identified(cluster);
				send(first, "t", 0, 10).forEach(CompletableFuture::join);
				store.close();
				send(first, "t", 10, 10);
				await("sent").until(() -> first.metrics().sent() == 20);
				first.close(Duration.ZERO);
			}
			try (Store store = cluster.store(this.directory.resolve("store")); Producer second = identified(cluster)) {
				assertThat(send(second, "t", 20, 1).get(0).join().offset()).isEqualTo(20);
				assertThat(store.metrics().lost()).isEqualTo(10);
			}
		}
	}

	@Test
	void refusesIdentityInUse() {
		try (Cluster cluster = new Cluster(); Producer producer = identified(cluster)) {
			assertThatExceptionOfType(DafkaException.class)
				.isThrownBy(() -> Identity.directory(this.directory.resolve("identity")))
				.withMessageContaining("used by another producer");
			assertThat(producer.failure()).isNull();
		}
	}

	@Test
	void consumerContinuesAfterRestart() {
		OffsetStore offsets = OffsetStore.file(this.directory.resolve("offsets"));
		Received first = new Received();
		Received second = new Received();
		try (Cluster cluster = new Cluster();
				Store store = cluster.store().start();
				Producer producer = cluster.producer().start()) {
			try (Consumer consumer = cluster.earliest("t").offsets(offsets).start(first)) {
				send(producer, "t", 0, 100);
				await("the first records").until(() -> first.count.get() == 100);
				assertThat(consumer.failure()).isNull();
			}
			send(producer, "t", 100, 100).forEach(CompletableFuture::join);
			OffsetStore reopened = OffsetStore.file(this.directory.resolve("offsets"));
			// A saved offset takes precedence over the reset to the latest record.
			try (Consumer consumer = Consumer.builder(cluster.node()).topics("t").offsets(reopened).start(second)) {
				await("the others").until(() -> second.count.get() == 100);
				assertThat(second.next).containsValue(200L);
				assertThat(second.wrong).isEmpty();
				assertThat(consumer.metrics().lost()).isZero();
				assertThat(store.failure()).isNull();
			}
		}
	}

	@Test
	void newStoreCopiesRecordsFromEndedProducers() {
		Received received = new Received();
		try (Cluster cluster = new Cluster()) {
			try (Store old = cluster.store().start()) {
				try (Producer producer = cluster.producer().start()) {
					send(producer, "t", 0, 30_000);
					assertThat(producer.close(Duration.ofSeconds(60)).isComplete()).isTrue();
				}
				assertThat(old.metrics().stored()).isEqualTo(30_000);
				try (Store replica = cluster.store(this.directory)) {
					await("replicated").until(() -> replica.metrics().stored() == 30_000);
				}
			}
			try (Store replica = cluster.store(this.directory);
					Consumer consumer = cluster.earliest("t").start(received)) {
				await("all records").until(() -> received.count.get() == 30_000);
				assertThat(received.wrong).isEmpty();
				assertThat(consumer.metrics().lost()).isZero();
				assertThat(replica.failure()).isNull();
			}
		}
	}

	@Test
	void earliestIsFirstRecordAfterRetention() {
		Received received = new Received();
		try (Cluster cluster = new Cluster();
				Store store = cluster.store()
					.directory(this.directory)
					.retentionBytes(20_000)
					.retentionInterval(Duration.ofMillis(20))
					.start();
				Producer producer = cluster.producer().start()) {
			for (int i = 0; i < 20; i++) {
				send(producer, "t", i * 100, 100).forEach(CompletableFuture::join);
			}
			await("retention").until(() -> store.metrics().bytes() <= 20_000);
			try (Consumer consumer = cluster.earliest("t").start(received)) {
				await("the last records").until(() -> received.next.containsValue(2_000L));
				assertThat(received.wrong).isEmpty();
				assertThat(received.lost.get() + received.count.get()).isEqualTo(2_000);
				assertThat(received.lost).hasPositiveValue();
				assertThat(consumer.metrics().lost()).isEqualTo(received.lost.get());
			}
		}
	}

	@Test
	void seekRepeatsRecords() {
		Received received = new Received();
		try (Cluster cluster = new Cluster();
				Store store = cluster.store().start();
				Producer producer = cluster.producer().start();
				Consumer consumer = cluster.earliest("t").start(received)) {
			send(producer, "t", 0, 100).forEach(CompletableFuture::join);
			await("all records").until(() -> received.count.get() == 100);
			received.next.clear();
			consumer.seek("t", producer.address(), 40);
			await("the last 60 again").until(() -> received.count.get() == 160);
			assertThat(received.wrong).isEmpty();
			assertThat(store.metrics().fetched()).isPositive();
		}
	}

	@Test
	void slowListenerDoesNotDelayOthers() {
		Received received = new Received();
		try (Cluster cluster = new Cluster();
				Store store = cluster.store().start();
				Producer producer = cluster.producer().start();
				Consumer consumer = cluster.earliest("t").maxRecords(50).start((record) -> {
					if (record.offset() % 500 == 0) {
						Thread.sleep(20);
					}
					received.onRecord(record);
				})) {
			send(producer, "t", 0, 30_000);
			assertThat(producer.close(Duration.ofSeconds(30)).isComplete()).isTrue();
			await("all records").until(() -> received.count.get() == 30_000);
			assertThat(received.wrong).isEmpty();
			assertThat(consumer.metrics().lost()).isZero();
			assertThat(store.failure()).isNull();
		}
	}

	@Test
	void continuesAfterListenerException() {
		Received received = new Received();
		try (Cluster cluster = new Cluster();
				Store store = cluster.store().start();
				Producer producer = cluster.producer().start();
				Consumer consumer = cluster.earliest("t").start((record) -> {
					received.onRecord(record);
					throw new IllegalStateException("expected by the test");
				})) {
			producer.send("t", Bytes.of(Received.content("t", producer.address(), 0))).join();
			producer.send("t", Bytes.of(Received.content("t", producer.address(), 1))).join();
			await("both").until(() -> consumer.metrics().failed() == 2);
			assertThat(received.wrong).isEmpty();
			assertThat(store.failure()).isNull();
		}
	}

	private Producer identified(Cluster cluster) {
		return cluster.producer().identity(Identity.directory(this.directory.resolve("identity"))).start();
	}

}
