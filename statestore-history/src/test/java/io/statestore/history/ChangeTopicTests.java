package io.statestore.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import io.statestore.dafka.DafkaException;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.NodeOptions;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.protocol.StoredChange;
import io.statestore.test.CapturedLog;
import io.statestore.test.TestRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** Publishing of the history of a broker as a topic. */
@Timeout(120)
class ChangeTopicTests {

	@TempDir
	private Path directory;

	private Network network;

	private CapturedLog log;

	@BeforeEach
	void start() {
		this.network = new Network(this.directory.resolve("data"));
		this.log = new CapturedLog("io.statestore", Level.ERROR);
	}

	@AfterEach
	void close() {
		this.log.close();
		this.network.close();
	}

	private ChangeTopic publish() {
		return this.network.publish(feed());
	}

	private Path feed() {
		return this.directory.resolve("feed");
	}

	private void write(int count) {
		for (int i = 0; i < count; i++) {
			this.network.template.set("key-" + i, "value-" + i);
		}
	}

	/** Waits until the consumer has each change of the history exactly once. */
	private void awaitHistory() {
		List<StoredChange> changes = this.network.changes();
		await().atMost(30, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(this.network.records).hasSizeGreaterThanOrEqualTo(changes.size()));
		assertThat(this.network.received()).isEqualTo(changes);
		assertThat(this.network.records).extracting(DafkaRecord::partition).containsOnly(partition());
	}

	private StoredChange last() {
		List<StoredChange> received = this.network.received();
		return received.get(received.size() - 1);
	}

	private String partition() {
		return this.network.records.get(0).partition();
	}

	@Test
	void publishesEarlierAndLaterChangesInOrder() {
		this.network.startStore();
		write(2_500);
		try (ChangeTopic topic = publish()) {
			this.network.template.delete("key-1");
			awaitHistory();
			write(10);
			awaitHistory();
		}
		assertThat(this.network.received()).extracting(StoredChange::operation).contains(Operation.DELETE);
		assertThat(this.log.messages()).isEmpty();
	}

	@Test
	void continuesAfterRestart() {
		this.network.startStore();
		for (int round = 0; round < 4; round++) {
			write(5);
			try (ChangeTopic topic = publish()) {
				awaitHistory();
			}
		}
		assertThat(this.log.messages()).isEmpty();
	}

	@Test
	void sendsRecordsNoStoreHadBeforeRestart() {
		write(1_500);
		try (ChangeTopic topic = publish()) {
			await()
				.until(() -> Files.exists(feed().resolve("outbox")) && Files.size(feed().resolve("outbox")) > 10_000);
		}
		this.network.startStore();
		try (ChangeTopic topic = publish()) {
			awaitHistory();
		}
		assertThat(this.log.messages()).isEmpty();
	}

	@Test
	void continuesOnceStoreStarts() {
		write(10);
		try (ChangeTopic topic = publish()) {
			await().until(() -> Files.exists(feed().resolve("outbox")) && Files.size(feed().resolve("outbox")) > 300);
			this.network.startStore();
			awaitHistory();
			write(10);
			awaitHistory();
		}
		assertThat(this.log.messages()).isEmpty();
	}

	@Test
	void waitsBeforeOversizedChange() {
		this.network.startStore();
		write(1);
		this.network.template.set("large", "x".repeat(2_000));
		NodeOptions small = NodeOptions.builder()
			.tower(this.network.tower.address())
			.bindHost("127.0.0.1")
			.maxMessageSize(1_024)
			.build();
		try (ChangeTopic topic = new ChangeTopic(this.network.history, small, Network.TOPIC, feed(),
				Duration.ofMillis(20))) {
			await().until(() -> !this.log.messages().isEmpty());
		}
		try (ChangeTopic topic = publish()) {
			awaitHistory();
		}
		assertThat(this.log.messages()).hasSize(1);
	}

	/** Closing interrupts the write of the file, and what is being sent, like a crash. */
	@Test
	void repeatsNoRecordAfterStopAtAnyTime() {
		Random random = TestRandom.create(ChangeTopicTests.class);
		this.network.startStore();
		write(8_000);
		for (int received = 0; received < 7_000; received += random.nextInt(1_000)) {
			int count = received;
			try (ChangeTopic topic = publish()) {
				await().pollInterval(Duration.ofMillis(1)).until(() -> this.network.records.size() >= count);
			}
		}
		try (ChangeTopic topic = publish()) {
			awaitHistory();
		}
		assertThat(this.log.contains("A store has more records")).isFalse();
	}

	@Test
	void publishesGapAndContentOnce() {
		this.network.startStore();
		write(3);
		try (ChangeTopic topic = publish()) {
			awaitHistory();
		}
		this.network.restartBroker(false);
		for (int i = 0; i < 400; i++) {
			this.network.template.set("big", "x".repeat(200_000));
		}
		this.network.restartBroker(true);
		this.network.template.set("last", "v");
		try (ChangeTopic topic = publish()) {
			await().until(() -> last().key().toUtf8().equals("last"));
			this.network.template.set("last", "w");
			await().until(() -> last().value().toUtf8().equals("w"));
		}
		assertThat(this.network.received().subList(3, this.network.records.size())).extracting(StoredChange::operation)
			.startsWith(Operation.GAP, Operation.PRESENT)
			.containsOnlyOnce(Operation.GAP)
			.endsWith(Operation.SET, Operation.SET);
	}

	@Test
	void continuesAfterServerOutage() {
		this.network.startStore();
		try (ChangeTopic topic = publish()) {
			write(5);
			awaitHistory();
			this.network.stopBroker();
			await().atMost(30, TimeUnit.SECONDS).until(() -> !this.log.messages().isEmpty());
			this.network.restartBroker(true);
			await().atMost(30, TimeUnit.SECONDS).ignoreExceptions().until(() -> {
				write(5);
				return true;
			});
			awaitHistory();
		}
		assertThat(this.log.messages()).singleElement().asString().contains("'changes'", "retrying");
	}

	@Test
	void retriesIfServerKeepsNoHistory() {
		this.network.startStore();
		this.network.restartBroker(false);
		try (ChangeTopic topic = publish()) {
			await().atMost(30, TimeUnit.SECONDS).until(() -> !this.log.messages().isEmpty());
			this.network.restartBroker(true);
			await().atMost(30, TimeUnit.SECONDS).ignoreExceptions().until(() -> {
				write(5);
				return true;
			});
			awaitHistory();
		}
	}

	@Test
	void closesImmediatelyWithoutServerAndStore() {
		write(5);
		ChangeTopic waiting = publish();
		await().until(() -> Files.exists(feed().resolve("outbox")) && Files.size(feed().resolve("outbox")) > 300);
		assertThat(closeMillis(waiting)).isLessThan(4_000);

		this.network.stopBroker();
		ChangeTopic reading = this.network.publish(this.directory.resolve("other"));
		assertThat(closeMillis(reading)).isLessThan(4_000);
		assertThat(this.log.messages()).isEmpty();
	}

	private static long closeMillis(ChangeTopic topic) {
		long start = System.nanoTime();
		topic.close();
		return Duration.ofNanos(System.nanoTime() - start).toMillis();
	}

	@Test
	void refusesDirectoryForAnotherTopic() {
		publish().close();
		assertThatExceptionOfType(DafkaException.class)
			.isThrownBy(() -> new ChangeTopic(this.network.history, this.network.options, "other", feed(),
					Duration.ofSeconds(1)))
			.withMessageContainingAll("'topic' is 'other'", "belongs to 'changes'", "another directory");
		publish().close();
	}

	@Test
	void refusesDirectoryInUse() throws IOException {
		try (ChangeTopic topic = publish()) {
			assertThatExceptionOfType(DafkaException.class).isThrownBy(() -> publish())
				.withMessageContainingAll("'directory'", "another change topic uses");
		}
		Path file = Files.createFile(this.directory.resolve("file"));
		assertThatExceptionOfType(DafkaException.class).isThrownBy(() -> this.network.publish(file))
			.withMessageContainingAll("'directory'", "Choose another directory");
	}

	@Test
	void refusesInvalidOptions() {
		assertThatIllegalArgumentException().isThrownBy(
				() -> new ChangeTopic(this.network.history, this.network.options, "", feed(), Duration.ofSeconds(1)))
			.withMessageContaining("'topic'");
		assertThatIllegalArgumentException()
			.isThrownBy(
					() -> new ChangeTopic(this.network.history, this.network.options, "changes", feed(), Duration.ZERO))
			.withMessageContaining("'interval'");
	}

}
