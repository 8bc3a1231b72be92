package io.statestore.boot.dafka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Position;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.producer.CloseReport;
import io.statestore.dafka.producer.Identity;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.store.Fsync;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs the snippets of {@code docs/dafka.md} that do not need Spring. */
@Timeout(120)
class DafkaNodesDocumentationTests {

	private static final Logger logger = LoggerFactory.getLogger(DafkaNodesDocumentationTests.class);

	@TempDir
	Path directory;

	private final CountDownLatch logged = new CountDownLatch(1);

	@Test
	void runsRecipe() throws InterruptedException {
		streamTemperatures();
		assertThat(this.logged.await(30, TimeUnit.SECONDS)).isTrue();
	}

	void streamTemperatures() throws InterruptedException {
		try (Tower tower = Tower.builder().inPort(0).outPort(0).start()) {
			NodeOptions network = NodeOptions.builder().tower(tower.address()).build();
			try (Store store = Store.builder(network).start();
					Consumer consumer = Consumer.builder(network)
						.topics("temperatures")
						.offsetReset(OffsetReset.EARLIEST)
						.start((record) -> log(record));
					Producer producer = Producer.builder(network).start()) {
				Position position = producer.send("temperatures", Bytes.of("21.5")).join();
				logger.info("A store has {}", position);
				this.logged.await(10, TimeUnit.SECONDS);
			}
		}
	}

	@Test
	void runsTowerStoreProducerAndConsumer() throws Exception {
		Path directory = this.directory;
		int in = 0;
		int out = 0;
		try (Tower tower = Tower.builder().inPort(in).outPort(out).bindHost("127.0.0.1").start()) {
			NodeOptions network = NodeOptions.builder().tower(tower.address()).bindHost("127.0.0.1").build();

			Store store = Store.builder(network)
				.directory(directory.resolve("records"))
				.fsync(Fsync.BATCH)
				.retentionTime(Duration.ofDays(30))
				.retentionBytes(50_000_000_000L)
				.start();

			Producer producer = Producer.builder(network)
				.identity(Identity.directory(directory.resolve("press-1")))
				.start();
			producer.send("temperatures", Bytes.of("21.5"))
				.thenAccept((position) -> logger.info("A store has {}", position));

			Consumer consumer = Consumer.builder(network)
				.topics("temperatures")
				.offsetReset(OffsetReset.EARLIEST)
				.offsets(OffsetStore.file(directory.resolve("offsets")))
				.start((record) -> log(record));
			assertThat(this.logged.await(30, TimeUnit.SECONDS)).isTrue();

			consumer.partitions().forEach((partition, status) -> logger.info("{} lags {}", partition, status.lag()));
			consumer.seek("temperatures", producer.address(), 0);

			ReadingOptions reading = ReadingOptions.defaults().withSkipTimeout(Duration.ofMinutes(10));
			assertThat(reading.skipTimeout()).isEqualTo(Duration.ofMinutes(10));

			CloseReport report = producer.close(Duration.ofSeconds(5));
			if (!report.isComplete()) {
				logger.warn("No store has {}", report.unacknowledged());
			}
			assertThat(report.isComplete()).isTrue();
			consumer.close();
			store.close();
		}
	}

	private void log(DafkaRecord record) {
		logger.info("{}: {}", record.offset(), record.content().toText());
		this.logged.countDown();
	}

}
