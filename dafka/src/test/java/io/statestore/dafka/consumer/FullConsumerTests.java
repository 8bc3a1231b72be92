package io.statestore.dafka.consumer;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.PartitionLimit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A consumer that has room for only one record, without a store. */
class FullConsumerTests {

	private static final Bytes ADDRESS = Bytes.of("CONSUMER");

	private static final Bytes PRODUCER = Bytes.of("PRODUCER");

	private static final Bytes TOPIC = Bytes.of("t");

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final RecordingOutput output = new RecordingOutput();

	private final Semaphore permits = new Semaphore(0);

	private final Delivery delivery = new Delivery("listener", new ListenerCalls((record) -> this.permits.acquire()),
			new WaitingRecords(1, 1 << 20), OffsetStore.memory(), Duration.ofSeconds(1), Ticker.SYSTEM);

	private final ConsumerMachine machine = new ConsumerMachine(ADDRESS, Set.of(TOPIC),
			new ReadingOptions(1_024, 1 << 20, Duration.ofMillis(200), Duration.ofSeconds(5)), 10 * SECOND, SECOND,
			Map.of(), 0, new PartitionLimit(10), this.output, this.delivery, 1);

	@AfterEach
	void close() throws InterruptedException {
		this.permits.release(100);
		this.delivery.stop();
		this.delivery.awaitEnd(Duration.ofSeconds(10));
	}

	@Test
	void reportsPositionToProducerAfterItWasFull() {
		this.delivery.start(() -> {
		});
		record(0);
		this.machine.work(1);
		record(1);
		this.permits.release();
		await("room").until(this.delivery.waiting()::hasRoom);
		this.machine.work(2);
		assertThat(this.machine.isFull()).isFalse();
		assertThat(this.output.sent).contains(new Command.Fetch(PRODUCER, ADDRESS, TOPIC, 2, 1));
	}

	private void record(long sequence) {
		this.machine.received(Command.record(PRODUCER, TOPIC).at(sequence), new byte[1], 1);
	}

}
