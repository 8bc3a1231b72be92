package io.statestore.dafka.reading.internal;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Order, gaps, and requests of a {@link PartitionReader}. */
class PartitionReaderTests extends PartitionReaderFixture {

	@Test
	void deliversRecordsInOrderImmediately() {
		publish(0, 1, 2);
		assertThat(this.sink.delivered).containsExactly(0L, 1L, 2L);
		assertThat(this.reader.fetch(0)).isNull();
	}

	@Test
	void dropsRepeatedRecords() {
		publish(0, 1, 0, 1);
		assertThat(this.sink.delivered).containsExactly(0L, 1L);
	}

	@Test
	void requestsGapAndKeepsEarlyRecords() {
		publish(0, 4);
		assertThat(this.reader.fetch(0)).isEqualTo(new FetchRange(1, 3));
		fetched(0, 3, 1, 2);
		assertThat(this.sink.delivered).containsExactly(0L, 1L, 2L, 3L, 4L);
		assertThat(this.reader.isWaiting()).isFalse();
	}

	@Test
	void headRevealsGap() {
		this.reader.publishedHead(2, 0);
		assertThat(this.reader.fetch(0)).isEqualTo(new FetchRange(0, 3));
	}

	@Test
	void toleratesMoreRecordsThanRequested() {
		this.reader.publishedHead(2, 0);
		this.reader.fetch(0);
		fetched(0, 0, 1, 2, 3, 4);
		assertThat(this.sink.delivered).containsExactly(0L, 1L, 2L, 3L, 4L);
	}

	@Test
	void requestsPartsBeforePreviousIsComplete() {
		this.reader.publishedHead(999, 0);
		assertThat(this.reader.fetch(0)).isEqualTo(new FetchRange(0, 8));
		assertThat(this.reader.fetch(0)).isNull();
		fetched(0, 0, 1, 2, 3);
		assertThat(this.reader.fetch(0)).isEqualTo(new FetchRange(8, 8));
		assertThat(this.reader.fetch(0)).isNull();
	}

	@Test
	void retriesUnansweredRequestWithBackoff() {
		this.reader.publishedHead(3, 0);
		this.reader.fetch(0);
		assertThat(this.reader.fetch(9 * MILLIS)).isNull();
		assertThat(this.reader.deadline(-1)).isEqualTo(10 * MILLIS);
		assertThat(this.reader.fetch(10 * MILLIS)).isEqualTo(new FetchRange(0, 4));
		assertThat(this.reader.fetch(29 * MILLIS)).isNull();
		assertThat(this.reader.fetch(30 * MILLIS)).isEqualTo(new FetchRange(0, 4));
	}

	@Test
	void heldRecordsDoNotPostponeRetry() {
		this.reader.publishedHead(7, 0);
		this.reader.fetch(0);
		assertThat(this.reader.hold()).isZero();
		fetched(5 * MILLIS, 0);
		assertThat(this.reader.hold()).isOne();
		fetched(9 * MILLIS, 1);
		assertThat(this.reader.fetch(9 * MILLIS)).isNull();
		assertThat(this.reader.fetch(10 * MILLIS)).isEqualTo(new FetchRange(2, 6));
	}

	@Test
	void fetchesRecordsBeyondWindowLater() {
		publish(0, 16, 17);
		assertThat(this.reader.overflows()).isOne();
		assertThat(this.reader.fetch(0)).isEqualTo(new FetchRange(1, 8));
		for (long next = 1; next < 16; next++) {
			fetched(0, next);
		}
		assertThat(this.sink.delivered).hasSize(17);
		assertThat(this.reader.fetch(0)).isEqualTo(new FetchRange(17, 1));
	}

	@Test
	void limitsWindowInBytes() {
		this.reader.published(5, new byte[600], 0);
		this.reader.published(6, new byte[600], 0);
		this.reader.published(7, new byte[600], 0);
		assertThat(this.reader.overflows()).isOne();
	}

	@Test
	void latestStartsWithFirstPublishedRecord() {
		this.reader = new PartitionReader(OPTIONS, -1, this.sink, new ReadingBudget(2_000));
		fetched(0, 3);
		this.reader.storedHead(40, 0);
		publish(7, 8);
		assertThat(this.sink.delivered).containsExactly(7L, 8L);
		assertThat(this.reader.fetch(0)).isNull();
	}

	@Test
	void latestSkipsRecordAtHead() {
		this.reader = new PartitionReader(OPTIONS, -1, this.sink, new ReadingBudget(2_000));
		this.reader.publishedHead(7, 0);
		publish(7, 8);
		assertThat(this.sink.delivered).containsExactly(8L);
	}

	@Test
	void offersRefusedRecordAgain() {
		this.sink.full = true;
		publish(0, 1, 2);
		assertThat(this.reader.isWaiting()).isFalse();
		this.sink.full = false;
		this.reader.resume(0);
		assertThat(this.sink.delivered).containsExactly(0L, 1L, 2L);
	}

	@Test
	void fetchesRecordsDroppedWhileBlocked() {
		this.sink.full = true;
		for (long next = 0; next < 40; next++) {
			publish(next);
		}
		this.sink.full = false;
		this.reader.resume(0);
		assertThat(this.sink.delivered).hasSize(20);
		assertThat(this.reader.fetch(0)).isEqualTo(new FetchRange(20, 8));
	}

	@Test
	void seeksBackwardAndForward() {
		publish(0, 1, 2, 3);
		this.reader.seek(1, 0);
		assertThat(this.reader.fetch(0)).isEqualTo(new FetchRange(1, 3));
		fetched(0, 1, 2, 3);
		this.reader.seek(10, 0);
		publish(4, 10);
		assertThat(this.sink.delivered).containsExactly(0L, 1L, 2L, 3L, 1L, 2L, 3L, 10L);
	}

}
