package io.statestore.dafka.endtoend;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.ConsumerMetrics;
import io.statestore.dafka.producer.Acknowledge;
import io.statestore.dafka.producer.Producer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.statestore.dafka.endtoend.StreamingTests.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Consumers that fall behind without a store and request records that the producer has
 * evicted. They continue with the available records.
 */
@Timeout(120)
class FallingBehindTests {

	private static final int RECORDS = 5_000;

	private final Received received = new Received();

	private final CountDownLatch released = new CountDownLatch(1);

	@Tag("long")
	@Test
	void continuesWithOldestAvailableRecord() {
		try (Cluster cluster = new Cluster();
				Producer producer = producer(cluster);
				Consumer consumer = consumer(cluster)) {
			fallBehind(producer, consumer);
			this.released.countDown();
			// Even the last records may be lost while the producer is still sending.
			await("all records").until(() -> this.received.count() + this.received.lost.get() == RECORDS);
			assertThat(consumer.metrics().lag()).isZero();
			send(producer, "t", RECORDS, 1);
			await("a further record").until(() -> next(producer) == RECORDS + 1);
			assertWhole(consumer);
		}
	}

	@Tag("long")
	@Test
	void continuesWhileOldestRecordKeepsChanging() throws InterruptedException {
		AtomicBoolean enough = new AtomicBoolean();
		try (Cluster cluster = new Cluster();
				Producer producer = producer(cluster);
				Consumer consumer = consumer(cluster)) {
			fallBehind(producer, consumer);
			Thread sender = new Thread(() -> {
				for (int i = RECORDS; !enough.get(); i++) {
					send(producer, "t", i, 1);
					LockSupport.parkNanos(100_000);
				}
			});
			sender.start();
			this.released.countDown();
			try {
				await("records beyond").until(() -> next(producer) > 2 * RECORDS);
			}
			finally {
				enough.set(true);
				sender.join();
			}
			assertWhole(consumer);
		}
	}

	@Test
	void lateConsumerStartsWithOldestRecord() {
		try (Cluster cluster = new Cluster(); Producer producer = producer(cluster)) {
			send(producer, "t", 0, RECORDS);
			this.released.countDown();
			try (Consumer consumer = consumer(cluster)) {
				await("the last record").until(() -> next(producer) == RECORDS);
				assertWhole(consumer);
			}
		}
	}

	/** Starts a producer with memory for a few hundred records. */
	private static Producer producer(Cluster cluster) {
		return Producer.builder(cluster.impatientNode())
			.headInterval(Duration.ofMillis(100))
			.acknowledge(Acknowledge.NONE)
			.memory(100_000)
			.start();
	}

	private Consumer consumer(Cluster cluster) {
		ReadingOptions reading = new ReadingOptions(64, 10_000, Duration.ofMillis(20), Duration.ofMillis(300));
		return cluster.earliest("t").reading(reading).maxRecords(100).start(new RecordListener() {

			@Override
			public void onRecord(DafkaRecord record) throws InterruptedException {
				FallingBehindTests.this.released.await();
				FallingBehindTests.this.received.onRecord(record);
			}

			@Override
			public void onLost(TopicPartition partition, long first, long count) {
				FallingBehindTests.this.received.onLost(partition, first, count);
			}

		});
	}

	private void fallBehind(Producer producer, Consumer consumer) {
		send(producer, "t", 0, 1);
		await("the first one").until(() -> consumer.partitions().containsKey(names(producer)));
		send(producer, "t", 1, RECORDS - 1);
		await("too much").until(() -> consumer.metrics().overflows() > 0 && producer.metrics().forgotten() > RECORDS / 2
				&& consumer.partitions().get(names(producer)).head() == RECORDS - 1);
	}

	private long next(Producer producer) {
		return this.received.next.getOrDefault(names(producer), 0L);
	}

	private void assertWhole(Consumer consumer) {
		ConsumerMetrics metrics = consumer.metrics();
		assertThat(this.received.wrong).isEmpty();
		assertThat(this.received.lost).hasPositiveValue();
		assertThat(metrics.lost()).isGreaterThanOrEqualTo(this.received.lost.get());
	}

	private static TopicPartition names(Producer producer) {
		return new TopicPartition("t", producer.address());
	}

}
