package io.statestore.dafka.reading.internal;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Conditions under which a {@link PartitionReader} declares records lost. */
class PartitionLossTests extends PartitionReaderFixture {

	@Test
	void declaresLossIfOnlyLaterRecordsAreAvailable() {
		this.reader.publishedHead(9, 0);
		long now = 0;
		while (this.sink.lost.isEmpty() && now < 1_000 * MILLIS) {
			if (this.reader.fetch(now) != null) {
				fetched(now, 6, 7);
			}
			now += MILLIS;
		}
		assertThat(now).isBetween(100 * MILLIS, 300 * MILLIS);
		assertThat(this.sink.lost).containsExactly("0-5");
		assertThat(this.sink.delivered).containsExactly(6L, 7L);
		assertThat(this.reader.next()).isEqualTo(8);
	}

	@Test
	void declaresNoLossWithoutAnswers() {
		publish(9);
		for (long now = 0; now < 10_000 * MILLIS; now += MILLIS) {
			this.reader.fetch(now);
		}
		assertThat(this.sink.lost).isEmpty();
		assertThat(this.reader.isWaiting()).isTrue();
	}

	@Test
	void endOfAnswerDoesNotProveLoss() {
		this.reader.publishedHead(9, 0);
		this.reader.fetch(0);
		// The connection was lost during the answer, and the responder ended.
		fetched(0, 6, 7, 8, 9);
		assertNoLoss();
	}

	@Test
	void truncatedAnswersDoNotProveLoss() {
		this.reader.publishedHead(9, 0);
		int answers = 0;
		for (long now = 0; now < 10_000 * MILLIS; now += MILLIS) {
			if (this.reader.fetch(now) != null) {
				// Each time, part of an answer arrives that is still in transit.
				fetched(now, 3 + answers++ % 6);
			}
		}
		assertThat(this.sink.lost).isEmpty();
	}

	@Test
	void silenceAfterAnswerDoesNotProveLoss() {
		this.reader.publishedHead(9, 0);
		int asked = 0;
		for (long now = 0; now < 10_000 * MILLIS; now += MILLIS) {
			if (this.reader.fetch(now) != null && asked++ % 3 != 0) {
				fetched(now, 6);
			}
		}
		assertThat(this.sink.lost).isEmpty();
	}

	@Test
	void requestsOnlyNextRecordAfterLaterAnswer() {
		this.reader.publishedHead(9, 0);
		this.reader.fetch(0);
		fetched(0, 6);
		assertThat(this.reader.fetch(10 * MILLIS)).isEqualTo(new FetchRange(0, 1));
		assertThat(this.reader.fetch(10 * MILLIS)).isNull();
	}

	@Test
	void declaresLossIfOldestRecordKeepsChanging() {
		this.reader.publishedHead(1_000, 0);
		long now = continueUntilLoss(100);
		assertThat(now).isBetween(100 * MILLIS, 300 * MILLIS);
		assertThat(this.sink.delivered).isEmpty();
		// This record was evicted, too. The next answer shows the first available record.
		assertThat(this.reader.fetch(now)).isNull();
		long next = this.reader.next();
		fetched(now, next + 100);
		assertThat(this.sink.delivered).containsExactly(next + 100);
		assertThat(this.sink.lost).containsExactly("0-" + (next - 1), next + "-" + (next + 99));
		assertThat(this.reader.fetch(now)).isEqualTo(new FetchRange(next + 101, 8));
	}

	@Test
	void continuesWithNextPublishedRecord() {
		this.reader.publishedHead(10_000, 0);
		long now = continueUntilLoss(1_000);
		long next = this.reader.next();
		this.reader.publishedHead(11_000, now);
		fetched(now, 10_900);
		assertThat(this.reader.isWaiting()).isFalse();
		this.reader.published(11_001, new byte[0], now);
		assertThat(this.sink.delivered).containsExactly(11_001L);
		assertThat(this.sink.lost).containsExactly("0-" + (next - 1), next + "-11000");
	}

	/** Without more records, no later record would end the wait. */
	@Test
	void continuesWithOldestRecordFromIdleProducer() {
		this.reader.publishedHead(10_000, 0);
		long now = continueUntilLoss(1_000);
		long next = this.reader.next();
		fetched(now, 9_900);
		assertThat(this.sink.delivered).containsExactly(9_900L);
		assertThat(this.sink.lost).containsExactly("0-" + (next - 1), next + "-9899");
		assertThat(this.reader.fetch(now)).isEqualTo(new FetchRange(9_901, 8));
	}

	@Test
	void doesNotSkipLaterRecordsOtherNodesMayHave() {
		this.reader.publishedHead(1_000, 0);
		long now = continueUntilLoss(100);
		long next = this.reader.next();
		this.reader.fetch(now);
		this.sink.permitsLoss = false;
		fetched(now, next + 100);
		assertThat(this.sink.lost).containsExactly("0-" + (next - 1));
		assertThat(this.reader.next()).isEqualTo(next);
		fetched(now, next);
		assertThat(this.sink.delivered).containsExactly(next);
	}

	@Test
	void deliversEarlyRecordsAfterLoss() {
		publish(3, 4, 7);
		this.reader.publishedHead(1_000, 0);
		continueUntilLoss(100);
		assertThat(this.sink.delivered).containsExactly(3L, 4L, 7L);
		assertThat(this.sink.lost).startsWith("0-2", "5-6").hasSize(3);
	}

	@Test
	void reportsMissingRecordOnce() {
		publish(9);
		for (long now = 0; now < 1_000 * MILLIS; now += MILLIS) {
			this.reader.fetch(now);
		}
		assertThat(this.sink.missing).containsExactly(0L);
		assertThat(this.reader.isStuck()).isTrue();
		fetched(1_000 * MILLIS, 0);
		assertThat(this.reader.isStuck()).isFalse();
	}

	@Test
	void skipsToAvailableRecordsAfterSkipTimeout() {
		this.reader = new PartitionReader(OPTIONS.withSkipTimeout(Duration.ofMillis(200)), 0, this.sink,
				new ReadingBudget(2_000));
		publish(5, 6);
		this.reader.publishedHead(9, 0);
		long now = 0;
		while (this.sink.lost.isEmpty()) {
			this.reader.fetch(now);
			now += MILLIS;
		}
		assertThat(now).isBetween(200 * MILLIS, 320 * MILLIS);
		while (this.reader.isWaiting()) {
			this.reader.fetch(now);
			now += MILLIS;
		}
		assertThat(this.sink.lost).containsExactly("0-4", "7-9");
		assertThat(this.sink.delivered).containsExactly(5L, 6L);
		assertThat(this.reader.isWaiting()).isFalse();
	}

	@Test
	void doesNotCountTimeWithoutRequestsForSkip() {
		this.reader = new PartitionReader(OPTIONS.withSkipTimeout(Duration.ofMillis(200)), 0, this.sink,
				new ReadingBudget(2_000));
		this.reader.publishedHead(9, 0);
		this.reader.fetch(0);
		long now = 0;
		for (int turn = 0; turn < 4; turn++) {
			now += 20 * MILLIS;
			this.reader.park(now);
			now += 10_000 * MILLIS;
			this.reader.unpark(now);
			this.reader.fetch(now);
		}
		assertThat(this.sink.lost).isEmpty();
	}

	@Test
	void skipsOnlyRequestedRecords() {
		this.reader = new PartitionReader(OPTIONS.withSkipTimeout(Duration.ofMillis(200)), 0, this.sink,
				new ReadingBudget(2_000));
		this.reader.publishedHead(29, 0);
		long now = 0;
		while (this.reader.isWaiting()) {
			FetchRange range = this.reader.fetch(now);
			for (long next = 20; range != null && next < range.first() + range.count(); next++) {
				fetched(now, next);
			}
			now += MILLIS;
		}
		assertThat(this.sink.lost).containsExactly("0-7", "8-15", "16-19");
		assertThat(this.sink.delivered).containsExactly(20L, 21L, 22L, 23L, 24L, 25L, 26L, 27L, 28L, 29L);
	}

	/**
	 * Answers with later records until records are declared lost; evicts some records
	 * each time.
	 */
	private long continueUntilLoss(int step) {
		long now = 0;
		long oldest = 100;
		while (this.sink.lost.isEmpty() && now < 10_000 * MILLIS) {
			if (this.reader.fetch(now) != null && this.sink.lost.isEmpty()) {
				fetched(now, oldest);
				oldest += step;
			}
			now += MILLIS;
		}
		return now;
	}

	private void assertNoLoss() {
		for (long now = 0; now < 10_000 * MILLIS; now += MILLIS) {
			this.reader.fetch(now);
		}
		assertThat(this.sink.lost).isEmpty();
		fetched(10_000 * MILLIS, 0, 1, 2, 3, 4, 5);
		assertThat(this.sink.delivered).hasSize(10).isSorted();
	}

}
