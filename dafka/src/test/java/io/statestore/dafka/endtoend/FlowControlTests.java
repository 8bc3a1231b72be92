package io.statestore.dafka.endtoend;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import ch.qos.logback.classic.Level;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.producer.Acknowledge;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.store.Store;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static io.statestore.dafka.endtoend.StreamingTests.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Producers that are faster than their consumers, and losses that end. */
@Timeout(180)
@Isolated("captures the log")
class FlowControlTests {

	private final Received received = new Received();

	@Tag("long")
	@Test
	void producerWithoutStoreSlowsDownToConsumer() {
		assertAllArrive(100_000, 1 << 20, (record) -> {
			if (record.offset() % 100 == 0) {
				LockSupport.parkNanos(1_000_000);
			}
		});
	}

	@Tag("long")
	@Test
	void pausedListenerMissesNothingWithoutStore() {
		assertAllArrive(100_000, 1 << 20, (record) -> {
			if (record.offset() % 40_000 == 20_000) {
				TimeUnit.MILLISECONDS.sleep(1_500);
			}
		});
	}

	@Test
	void closeWaitsForConsumerThatIsBehind() {
		assertAllArrive(8_000, 64 << 20, (record) -> {
			if (record.offset() % 100 == 0) {
				LockSupport.parkNanos(5_000_000);
			}
		});
	}

	/**
	 * A batch takes longer than the producer waits for a consumer without progress, which
	 * is ten times its {@code stallTimeout}.
	 */
	@Tag("long")
	@Test
	void slowListenerWithFullDefaultBatchesMissesNothing() {
		try (Cluster cluster = new Cluster();
				Producer producer = cluster.producer().acknowledge(Acknowledge.NONE).memory(1 << 20).start()) {
			send(producer, "t", 0, 1);
			await("the first one sent").until(() -> producer.metrics().sent() == 1);
			// The producer first receives a request from the consumer.
			try (Consumer consumer = cluster.earliest("t").start((record) -> {
				LockSupport.parkNanos((record.offset() < 6_000) ? 2_000_000 : 0);
				this.received.onRecord(record);
			})) {
				await("the first one").until(() -> this.received.count() == 1);
				assertThat(producer.metrics().fetched()).isPositive();
				send(producer, "t", 1, 59_999);
				assertAllArrived(60_000, producer, consumer);
			}
		}
	}

	/**
	 * Closes the producer as soon as it has accepted all records, which must all arrive.
	 */
	private void assertAllArrive(int records, long memory, RecordListener slow) {
		try (Cluster cluster = new Cluster();
				Producer producer = cluster.producer()
					.acknowledge(Acknowledge.NONE)
					.memory(memory)
					.closeTimeout(Duration.ofSeconds(60))
					.start()) {
			send(producer, "t", 0, 1);
			await("the first one sent").until(() -> producer.metrics().sent() == 1);
			// The producer first receives a request from the consumer.
			try (Consumer consumer = cluster.earliest("t").maxRecords(200).start((record) -> {
				slow.onRecord(record);
				this.received.onRecord(record);
			})) {
				await("the first one").until(() -> this.received.count() == 1);
				await("the request for it").until(() -> producer.metrics().fetched() > 0);
				send(producer, "t", 1, records - 1);
				producer.close();
				assertAllArrived(records, producer, consumer);
			}
		}
	}

	private void assertAllArrived(int records, Producer producer, Consumer consumer) {
		await("all records")
			.until(() -> this.received.count() + consumer.metrics().lost() >= records || consumer.failure() != null);
		String metrics = consumer.metrics() + " of " + producer.metrics();
		assertThat(consumer.failure()).as(metrics).isNull();
		assertThat(this.received.wrong()).isEmpty();
		assertThat(consumer.metrics().lost()).as(metrics).isZero();
		assertThat(this.received.count()).as(metrics).isEqualTo(records);
	}

	@Tag("long")
	@Test
	void blockedListenerDelaysProducerForLimitedTime() {
		CountDownLatch released = new CountDownLatch(1);
		try (Cluster cluster = new Cluster();
				Producer producer = Producer.builder(cluster.impatientNode())
					.acknowledge(Acknowledge.NONE)
					.memory(1 << 20)
					.start();
				Consumer hanging = cluster.earliest("t").maxRecords(10).start((record) -> released.await());
				Consumer consumer = cluster.earliest("t").start(this.received)) {
			send(producer, "t", 0, 1);
			await("the first one").until(() -> this.received.count() == 1 && hanging.metrics().delivered() == 1);
			send(producer, "t", 1, 49_999);
			await("all records").until(() -> this.received.count() + this.received.lost.get() == 50_000);
			assertThat(hanging.metrics().delivered()).isOne();
			released.countDown();
		}
	}

	@Test
	void closeWarnsAboutRecordsConsumerStillRequests() {
		CountDownLatch released = new CountDownLatch(1);
		ReadingOptions reading = new ReadingOptions(2, 1, Duration.ofMillis(200), Duration.ofSeconds(5));
		List<String> warnings = warnings(() -> {
			try (Cluster cluster = new Cluster();
					Producer producer = cluster.producer().acknowledge(Acknowledge.NONE).start();
					Consumer consumer = cluster.earliest("t")
						.maxRecords(10)
						.reading(reading)
						.start((record) -> released.await())) {
				send(producer, "t", 0, 1);
				await("the first one").until(() -> consumer.partitions().size() == 1);
				send(producer, "t", 1, 99);
				await("no room").until(() -> consumer.metrics().overflows() > 0);
				// The producer considers requests from the last second.
				long fetched = producer.metrics().fetched();
				await("another request").until(() -> producer.metrics().fetched() > fetched);
				producer.close(Duration.ofSeconds(1));
				assertThat(producer.metrics().abandoned()).isBetween(80L, 99L);
				released.countDown();
			}
		});
		assertThat(warnings).singleElement()
			.asString()
			.contains("Closed while consumers still requested ", " records of 1 partitions, the first of them ");
	}

	@Test
	void closeIsSilentWhenConsumersHaveAllRecords() {
		List<String> warnings = warnings(() -> {
			try (Cluster cluster = new Cluster();
					Producer producer = cluster.producer().acknowledge(Acknowledge.NONE).start();
					Consumer consumer = cluster.earliest("t").start(this.received)) {
				send(producer, "t", 0, 100);
				await("all records").until(() -> this.received.count() == 100);
				producer.close();
				assertThat(producer.metrics().abandoned()).isZero();
				assertThat(consumer.failure()).isNull();
			}
		});
		assertThat(warnings).isEmpty();
	}

	/** Returns the warnings that producers log during an action. */
	private static List<String> warnings(Runnable action) {
		try (CapturedLog log = new CapturedLog(Producer.class, Level.WARN)) {
			action.run();
			return log.messages();
		}
	}

	@Test
	void storeThatLostItsRecordsContinuesAfterSkipTimeout() throws Exception {
		ReadingOptions reading = ReadingOptions.defaults()
			.withLossTimeout(Duration.ofMillis(300))
			.withSkipTimeout(Duration.ofSeconds(1));
		try (Cluster cluster = new Cluster(); Producer producer = cluster.producer().start()) {
			try (Store store = cluster.store().start()) {
				for (int i = 0; i < 10; i++) {
					send(producer, "t", i, 1).get(0).get(30, TimeUnit.SECONDS);
				}
				assertThat(store.metrics().stored()).isEqualTo(10);
			}
			try (Store empty = cluster.store().reading(reading).start()) {
				send(producer, "t", 10, 1).get(0).get(30, TimeUnit.SECONDS);
				assertThat(empty.metrics().lost()).isEqualTo(10);
				try (Consumer consumer = cluster.earliest("t").reading(reading).start(this.received)) {
					await("the record that is left").until(() -> this.received.count() == 1);
					assertThat(this.received.lost).hasValue(10);
					await("no lag").until(() -> consumer.metrics().lag() == 0);
				}
			}
		}
	}

}
