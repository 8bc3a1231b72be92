package io.statestore.dafka.consumer;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Offsets, losses, and seeks between calls to a handler. */
@Timeout(60)
class DeliveryTests {

	private static final TopicPartition A = new TopicPartition("t", "A");

	private static final TopicPartition B = new TopicPartition("t", "B");

	private final List<List<String>> calls = new CopyOnWriteArrayList<>();

	private final OffsetStore offsets = OffsetStore.memory();

	private final WaitingRecords waiting = new WaitingRecords(100, 1 << 20);

	private final CountDownLatch ended = new CountDownLatch(1);

	private final Progress a = new Progress(A, 0);

	private final Progress b = new Progress(B, 0);

	@TempDir
	Path directory;

	private Delivery delivery = delivery(10, List::size);

	@AfterEach
	void close() throws InterruptedException {
		this.delivery.stop();
		this.delivery.awaitEnd(Duration.ofSeconds(30));
	}

	@Test
	void collectsRecordsFromSeveralPartitions() throws Exception {
		put(this.a, 0, 3, 0);
		put(this.b, 5, 2, 0);
		start();
		await("the call").until(() -> this.b.next() == 7);
		assertThat(this.calls).containsExactly(List.of("A0", "A1", "A2", "B5", "B6"));
		stop();
		assertThat(this.offsets.load()).isEqualTo(Map.of(A, 3L, B, 7L));
	}

	@Test
	void splitsRecordsAtMaximum() throws Exception {
		this.delivery = delivery(2, List::size);
		put(this.a, 0, 3, 0);
		put(this.b, 0, 2, 0);
		start();
		await("the calls").until(() -> this.b.next() == 2);
		assertThat(this.calls).containsExactly(List.of("A0", "A1"), List.of("A2", "B0"), List.of("B1"));
	}

	@Test
	void reportsLossAfterPrecedingRecords() throws Exception {
		put(this.a, 0, 2, 3);
		put(this.a, 5, 1, 0);
		start();
		await("the calls").until(() -> this.a.next() == 6);
		assertThat(this.calls).containsExactly(List.of("A0", "A1"), List.of("lost A2-4"), List.of("A5"));
	}

	@Test
	void stopsBeforeUnprocessedRecords() throws Exception {
		this.delivery = delivery(10, (records) -> 4);
		put(this.a, 0, 3, 0);
		put(this.b, 0, 3, 2);
		start();
		awaitEnd();
		assertThat(this.offsets.load()).isEqualTo(Map.of(A, 3L, B, 1L));
		assertThat(this.b.next()).isEqualTo(1);
		assertThat(this.calls).hasSize(1);
		assertThat(this.delivery.isRunning()).isFalse();
		assertThat(this.delivery.failure()).isNull();
	}

	@Test
	void interruptedThreadSeesEnd() throws Exception {
		start();
		assertThat(this.delivery.hasEnded()).isFalse();
		stop();
		Thread.currentThread().interrupt();
		assertThat(this.delivery.hasEnded()).isTrue();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void stopDoesNotSkipRecordsBeforeLoss() throws Exception {
		this.delivery = delivery(1, (records) -> {
			this.delivery.stop();
			return 1;
		});
		put(this.a, 0, 3, 4);
		start();
		awaitEnd();
		assertThat(this.calls).containsExactly(List.of("A0"));
		assertThat(this.offsets.load()).isEqualTo(Map.of(A, 1L));
	}

	@Test
	void errorLeavesItsRecordsUnprocessed() throws Exception {
		StackOverflowError error = new StackOverflowError("deep");
		this.delivery = delivery(1, (records) -> {
			if (records.get(0).offset() == 1) {
				throw error;
			}
			return 1;
		});
		put(this.a, 0, 3, 0);
		start();
		awaitEnd();
		assertThat(this.delivery.failure()).isSameAs(error);
		assertThat(this.offsets.load()).isEqualTo(Map.of(A, 1L));
	}

	@Test
	void discardsRecordsReadBeforeSeek() throws Exception {
		this.delivery = delivery(2, (records) -> {
			if (records.get(0).offset() == 0) {
				this.a.seek(8);
			}
			return records.size();
		});
		put(this.a, 0, 5, 3);
		put(this.b, 0, 1, 0);
		start();
		await("the other partition").until(() -> this.b.next() == 1);
		assertThat(this.calls).containsExactly(List.of("A0", "A1"), List.of("B0"));
		assertThat(this.a.next()).isEqualTo(8);
		put(this.a, 8, 1, 0);
		await("the record of the seek").until(() -> this.a.next() == 9);
		stop();
		assertThat(this.offsets.load()).isEqualTo(Map.of(A, 9L, B, 1L));
	}

	@Test
	void makesRoomForDiscardedRecords() throws Exception {
		put(this.a, 0, 100, 0);
		assertThat(this.waiting.hasRoom()).isFalse();
		this.a.seek(500);
		start();
		await("room").until(this.waiting::pollRoomAgain);
		assertThat(this.waiting.hasRoom()).isTrue();
		assertThat(this.calls).isEmpty();
	}

	@Test
	void savesOffsetsWhenIntervalHasPassed() {
		AtomicLong clock = new AtomicLong();
		this.delivery = delivery(1, List::size, this.offsets, clock::get);
		put(this.a, 0, 1, 0);
		start();
		await("the call").until(() -> this.a.next() == 1);
		assertThat(this.offsets.load()).isEmpty();
		clock.set(Duration.ofSeconds(2).toNanos());
		put(this.a, 1, 1, 0);
		await("an offset").until(() -> this.offsets.load().containsKey(A));
	}

	@Test
	void savesOffsetsAfterListenerInterruptsItsThread() throws Exception {
		OffsetStore file = OffsetStore.file(this.directory.resolve("offsets"));
		this.delivery = delivery(1, (records) -> {
			Thread.currentThread().interrupt();
			return 1;
		}, file, Ticker.SYSTEM);
		put(this.a, 0, 1, 0);
		start();
		await("the call").until(() -> this.a.next() == 1);
		stop();
		assertThat(file.load()).isEqualTo(Map.of(A, 1L));
	}

	@Test
	void awaitEndReturnsImmediatelyInHandler() throws Exception {
		this.delivery = delivery(1, (records) -> {
			try {
				this.delivery.stop();
				assertThat(this.delivery.awaitEnd(Duration.ofHours(1))).isFalse();
				return 1;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		});
		put(this.a, 0, 1, 0);
		start();
		awaitEnd();
		assertThat(this.delivery.failure()).isNull();
	}

	private void start() {
		this.delivery.start(this.ended::countDown);
	}

	private void stop() throws InterruptedException {
		this.delivery.stop();
		awaitEnd();
	}

	private void awaitEnd() throws InterruptedException {
		assertThat(this.delivery.awaitEnd(Duration.ofSeconds(30))).isTrue();
		assertThat(this.ended.getCount()).isZero();
	}

	private void put(Progress progress, long first, int count, int lost) {
		List<DafkaRecord> records = new ArrayList<>();
		for (long offset = first; offset < first + count; offset++) {
			DafkaRecord record = new DafkaRecord("t", progress.partition().partition(), offset, Bytes.of("x"));
			this.waiting.add(record);
			records.add(record);
		}
		this.delivery.put(new Batch(progress, records, (lost > 0) ? new Batch.Lost(first + count, lost) : null));
	}

	private Delivery delivery(int maxRecords, ToIntFunction<List<DafkaRecord>> handler) {
		return delivery(maxRecords, handler, this.offsets, Ticker.SYSTEM);
	}

	private Delivery delivery(int maxRecords, ToIntFunction<List<DafkaRecord>> handler, OffsetStore offsets,
			Ticker ticker) {
		return new Delivery("listener", new RecordHandler() {

			@Override
			public int maxRecords() {
				return maxRecords;
			}

			@Override
			public int handle(List<DafkaRecord> records) {
				DeliveryTests.this.calls
					.add(records.stream().map((record) -> record.partition() + record.offset()).toList());
				return handler.applyAsInt(records);
			}

			@Override
			public void lost(TopicPartition partition, long first, long count) {
				DeliveryTests.this.calls
					.add(List.of("lost " + partition.partition() + first + '-' + (first + count - 1)));
			}

		}, this.waiting, offsets, Duration.ofSeconds(1), ticker);
	}

}
