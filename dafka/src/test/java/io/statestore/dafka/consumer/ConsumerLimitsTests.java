package io.statestore.dafka.consumer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Position;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.PartitionLimit;
import io.statestore.dafka.reading.internal.Subscriptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Limits of what a consumer remembers about partitions. */
class ConsumerLimitsTests {

	private static final Bytes ADDRESS = Bytes.of("CONSUMER");

	private static final Bytes TOPIC = Bytes.of("t");

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final RecordingOutput output = new RecordingOutput();

	private final List<Position> delivered = new CopyOnWriteArrayList<>();

	private final PartitionLimit limit = new PartitionLimit(10);

	private final Delivery delivery = new Delivery("listener",
			new ListenerCalls(
					(record) -> this.delivered.add(new Position(record.topic(), record.partition(), record.offset()))),
			new WaitingRecords(1_000, 1 << 20), OffsetStore.memory(), Duration.ofSeconds(1), Ticker.SYSTEM);

	private final ConsumerMachine machine = new ConsumerMachine(ADDRESS, Set.of(TOPIC),
			new ReadingOptions(1_024, 1 << 20, Duration.ofMillis(200), Duration.ofSeconds(5)), 10 * SECOND, SECOND,
			Map.of(), 0, this.limit, this.output, this.delivery, 1);

	private long now = 1;

	@BeforeEach
	void start() {
		this.delivery.start(() -> {
		});
	}

	@AfterEach
	void close() throws InterruptedException {
		this.delivery.stop();
		this.delivery.awaitEnd(Duration.ofSeconds(10));
	}

	@Test
	void countsOnlyLivePartitionsAgainstLimit() {
		for (int life = 0; life < 200; life++) {
			record(life, 0);
			this.now += SECOND;
		}
		assertThat(this.delivered).hasSize(200);
		assertThat(this.limit.refused()).isZero();
		assertThat(this.machine.partitions().live()).hasSizeLessThanOrEqualTo(10);
		Partitions partitions = this.machine.partitions();
		assertThat(partitions.live().size() + partitions.finished().size()).isEqualTo(200);
	}

	@Test
	void keepsOffsetOfSilentPartition() {
		record(1, 0);
		silence();
		assertThat(this.machine.partitions().live()).isEmpty();
		receive(new Command.DirectHead(ADDRESS, partition(1), TOPIC, 0));
		assertThat(this.machine.partitions().live()).isEmpty();
		record(1, 0);
		record(1, 1);
		assertThat(this.delivered).extracting(Position::offset).containsExactly(0L, 1L);
	}

	@Test
	void requestsNewRecordsAfterPartitionWasSilent() {
		record(1, 0);
		silence();
		this.output.sent.clear();
		receive(new Command.DirectHead(ADDRESS, partition(1), TOPIC, 5));
		this.machine.work(this.now);
		assertThat(this.output.sent).contains(new Command.Fetch(partition(1), ADDRESS, TOPIC, 1, 5));
	}

	@Test
	void keepsPartitionWithGap() {
		record(1, 0);
		receive(new Command.Head(partition(1), TOPIC, 3));
		silence();
		assertThat(this.machine.partitions().live()).hasSize(1);
	}

	@Test
	void doesNotWaitForDepartedStore() {
		Bytes store = Bytes.of("STORE");
		Subscriptions.store(store).forEach((prefix) -> this.machine.subscribed(prefix, this.now));
		assertThat(this.machine.completeness()).isEqualTo(Completeness.PENDING);
		Subscriptions.store(store).forEach(this.machine::unsubscribed);
		assertThat(this.machine.completeness()).isEqualTo(Completeness.COMPLETE);
		record(1, 0);
		receive(new Command.Head(partition(1), TOPIC, 3));
		this.now += SECOND;
		this.machine.work(this.now);
		// Without a store, the consumer tells the producer how far it has read.
		assertThat(this.output.sent).contains(new Command.Fetch(partition(1), ADDRESS, TOPIC, 1, 1));
	}

	@Test
	void waitsForAnswerFromEachStoreAfterSeek() {
		for (String store : List.of("FAST", "SLOW")) {
			Subscriptions.store(Bytes.of(store)).forEach((prefix) -> this.machine.subscribed(prefix, this.now));
		}
		IntStream.range(0, 3).forEach((sequence) -> record(1, sequence));
		this.machine.seek(new Position("t", partition(1).toText(), 0));
		int answers = 0;
		for (int step = 0; step < 150; step++) {
			this.now += SECOND / 10;
			this.machine.work(this.now);
			if (this.output.sent.stream().anyMatch(Command.Fetch.class::isInstance)) {
				this.machine.received(Command.directRecord(ADDRESS, partition(1), TOPIC).at(2), new byte[1], this.now);
				answers++;
			}
			this.output.sent.clear();
		}
		assertThat(answers).isGreaterThan(4);
		assertThat(this.machine.lost.sum()).isZero();
	}

	private void silence() {
		for (int i = 0; i < 10; i++) {
			this.now += 12 * SECOND;
			this.machine.work(this.now);
		}
	}

	private void record(int partition, long sequence) {
		int before = this.delivered.size();
		boolean known = this.delivered.stream()
			.anyMatch((position) -> position.partition().equals(partition(partition).toText())
					&& position.offset() == sequence);
		this.machine.received(Command.record(partition(partition), TOPIC).at(sequence), new byte[1], this.now);
		this.machine.work(this.now);
		if (!known) {
			await("the record").until(() -> this.delivered.size() > before);
			await("its offset").until(() -> this.machine.partitions()
				.live()
				.stream()
				.allMatch((live) -> live.status().next() == live.reader.next()));
		}
	}

	private void receive(Command command) {
		this.machine.received(command.encode(), null, this.now);
	}

	private static Bytes partition(int number) {
		return Bytes.of("%032X".formatted(number));
	}

}
