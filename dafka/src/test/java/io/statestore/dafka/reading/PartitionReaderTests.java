package io.statestore.dafka.reading;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** One rule a test, with time passed in. */
class PartitionReaderTests {

	private static final long MILLIS = 1_000_000;

	private static final ReadingOptions OPTIONS = new ReadingOptions(16, 1_000, Duration.ofMillis(10),
			Duration.ofMillis(100));

	private final Sink sink = new Sink();

	private PartitionReader reader = new PartitionReader(OPTIONS, 0, this.sink, new ReadingBudget(2_000));

	@Test
	void recordsInOrderAreDeliveredAtOnce() {
		publish(0, 1, 2);
		assertThat(this.sink.delivered).containsExactly(0L, 1L, 2L);
		assertThat(this.reader.fetch(0)).isNull();
	}

	@Test
	void repeatedRecordsAreDroppedAndCounted() {
		publish(0, 1, 0, 1);
		assertThat(this.sink.delivered).containsExactly(0L, 1L);
		assertThat(this.reader.duplicates()).isEqualTo(2);
	}

	@Test
	void aGapIsFetchedExactlyAndWhatCameEarlyIsKept() {
		publish(0, 4);
		assertThat(this.reader.fetch(0)).isEqualTo(new FetchRange(1, 3));
		fetched(0, 3, 1, 2);
		assertThat(this.sink.delivered).containsExactly(0L, 1L, 2L, 3L, 4L);
		assertThat(this.reader.isWaiting()).isFalse();
	}

	@Test
	void aHeadBeyondIsAGap() {
		this.reader.publishedHead(2, 0);
		assertThat(this.reader.fetch(0)).isEqualTo(new FetchRange(0, 3));
	}

	@Test
	void moreRecordsThanAskedForAreTolerated() {
		this.reader.publishedHead(2, 0);
		this.reader.fetch(0);
		fetched(0, 0, 1, 2, 3, 4);
		assertThat(this.sink.delivered).containsExactly(0L, 1L, 2L, 3L, 4L);
	}

	@Test
	void fetchesAreCappedAndTheNextOneGoesOutBeforeThePreviousIsComplete() {
		this.reader.publishedHead(999, 0);
		assertThat(this.reader.fetch(0)).isEqualTo(new FetchRange(0, 8));
		assertThat(this.reader.fetch(0)).isNull();
		fetched(0, 0, 1, 2, 3);
		assertThat(this.reader.fetch(0)).isEqualTo(new FetchRange(8, 8));
		assertThat(this.reader.fetch(0)).isNull();
	}

	@Test
	void aFetchWithoutAnswerIsRepeatedLessAndLessOften() {
		this.reader.publishedHead(3, 0);
		this.reader.fetch(0);
		assertThat(this.reader.fetch(9 * MILLIS)).isNull();
		assertThat(this.reader.deadline(-1)).isEqualTo(10 * MILLIS);
		assertThat(this.reader.fetch(10 * MILLIS)).isEqualTo(new FetchRange(0, 4));
		assertThat(this.reader.fetch(29 * MILLIS)).isNull();
		assertThat(this.reader.fetch(30 * MILLIS)).isEqualTo(new FetchRange(0, 4));
	}

	@Test
	void whatIsBeyondTheWindowIsDroppedAndFetchedLater() {
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
	void theWindowIsBoundedInBytes() {
		this.reader.published(5, new byte[600], 0);
		this.reader.published(6, new byte[600], 0);
		this.reader.published(7, new byte[600], 0);
		assertThat(this.reader.overflows()).isOne();
	}

	@Test
	void latestBeginsWithTheFirstRecord() {
		this.reader = new PartitionReader(OPTIONS, -1, this.sink, new ReadingBudget(2_000));
		fetched(0, 3);
		this.reader.storedHead(40, 0);
		publish(7, 8);
		assertThat(this.sink.delivered).containsExactly(7L, 8L);
		assertThat(this.reader.fetch(0)).isNull();
	}

	@Test
	void latestDoesNotReplayTheRecordOfAHead() {
		this.reader = new PartitionReader(OPTIONS, -1, this.sink, new ReadingBudget(2_000));
		this.reader.publishedHead(7, 0);
		publish(7, 8);
		assertThat(this.sink.delivered).containsExactly(8L);
	}

	@Test
	void whatTheSinkRefusesIsGivenToItAgain() {
		this.sink.full = true;
		publish(0, 1, 2);
		assertThat(this.reader.isWaiting()).isFalse();
		this.sink.full = false;
		this.reader.resume(0);
		assertThat(this.sink.delivered).containsExactly(0L, 1L, 2L);
	}

	@Test
	void whatDidNotFitMeanwhileIsFetched() {
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
	void seekGoesBackAndForth() {
		publish(0, 1, 2, 3);
		this.reader.seek(1, 0);
		assertThat(this.reader.fetch(0)).isEqualTo(new FetchRange(1, 3));
		fetched(0, 1, 2, 3);
		this.reader.seek(10, 0);
		publish(4, 10);
		assertThat(this.sink.delivered).containsExactly(0L, 1L, 2L, 3L, 1L, 2L, 3L, 10L);
	}

	@Test
	void recordsAreGivenUpWhenSomebodyHasOnlyLaterOnes() {
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
	void recordsAreNotGivenUpAsLongAsNobodyAnswers() {
		publish(9);
		for (long now = 0; now < 10_000 * MILLIS; now += MILLIS) {
			this.reader.fetch(now);
		}
		assertThat(this.sink.lost).isEmpty();
		assertThat(this.reader.isWaiting()).isTrue();
	}

	@Test
	void theEndOfAnAnswerDoesNotTellThatItsBeginningIsGone() {
		this.reader.publishedHead(9, 0);
		this.reader.fetch(0);
		// The connection broke in between, and then whoever has them died.
		fetched(0, 6, 7, 8, 9);
		assertNothingIsGivenUp();
	}

	@Test
	void answersThatLostTheirBeginningAreNotTakenForTheFirstRecordThereIs() {
		this.reader.publishedHead(9, 0);
		int answers = 0;
		for (long now = 0; now < 10_000 * MILLIS; now += MILLIS) {
			if (this.reader.fetch(now) != null) {
				// Of an answer that is still on its way, a bit each time.
				fetched(now, 3 + answers++ % 6);
			}
		}
		assertThat(this.sink.lost).isEmpty();
	}

	@Test
	void whoIsSilentAgainDoesNotTellThatRecordsAreGone() {
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
	void whoeverHasOnlyLaterOnesIsAskedForTheNextRecordAlone() {
		this.reader.publishedHead(9, 0);
		this.reader.fetch(0);
		fetched(0, 6);
		assertThat(this.reader.fetch(10 * MILLIS)).isEqualTo(new FetchRange(0, 1));
		assertThat(this.reader.fetch(10 * MILLIS)).isNull();
	}

	@Test
	void recordsAreGivenUpWhenWhatIsThereIsAnotherEachTime() {
		this.reader.publishedHead(1_000, 0);
		long now = goOnUntilLost(100);
		assertThat(now).isBetween(100 * MILLIS, 300 * MILLIS);
		assertThat(this.sink.delivered).isEmpty();
		// That is gone by now, too; what is there is known at once.
		assertThat(this.reader.fetch(now)).isNull();
		long next = this.reader.next();
		fetched(now, next + 100);
		assertThat(this.sink.delivered).containsExactly(next + 100);
		assertThat(this.sink.lost).containsExactly("0-" + (next - 1), next + "-" + (next + 99));
		assertThat(this.reader.fetch(now)).isEqualTo(new FetchRange(next + 101, 8));
	}

	@Test
	void whoseRecordsAreAllGoneAMomentLaterIsReadFromWhatItPublishesNext() {
		this.reader.publishedHead(10_000, 0);
		long now = goOnUntilLost(1_000);
		long next = this.reader.next();
		fetched(now, 9_900);
		assertThat(this.reader.isWaiting()).isFalse();
		this.reader.published(10_001, new byte[0], now);
		assertThat(this.sink.delivered).containsExactly(10_001L);
		assertThat(this.sink.lost).containsExactly("0-" + (next - 1), next + "-10000");
	}

	@Test
	void givesUpNoFurtherRecordsThatOtherNodesMayHave() {
		this.reader.publishedHead(1_000, 0);
		long now = goOnUntilLost(100);
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
	void whatCameEarlyIsNotLostWithWhatIsGivenUp() {
		publish(3, 4, 7);
		this.reader.publishedHead(1_000, 0);
		goOnUntilLost(100);
		assertThat(this.sink.delivered).containsExactly(3L, 4L, 7L);
		assertThat(this.sink.lost).startsWith("0-2", "5-6").hasSize(3);
	}

	/** Whoever answers has only later ones, and lets go of so many each time. */
	private long goOnUntilLost(int step) {
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

	@Test
	void whatNobodyGivesIsToldOnce() {
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
	void whoPrefersToSkipGoesOnWithWhatIsThere() {
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
	void skipsNothingBecauseOfTimeWithoutRequests() {
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
	void skipsOnlyWhatWasRequested() {
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

	private void assertNothingIsGivenUp() {
		for (long now = 0; now < 10_000 * MILLIS; now += MILLIS) {
			this.reader.fetch(now);
		}
		assertThat(this.sink.lost).isEmpty();
		fetched(10_000 * MILLIS, 0, 1, 2, 3, 4, 5);
		assertThat(this.sink.delivered).hasSize(10).isSorted();
	}

	private void publish(long... sequences) {
		for (long sequence : sequences) {
			this.reader.published(sequence, new byte[0], 0);
		}
	}

	private void fetched(long now, long... sequences) {
		for (long sequence : sequences) {
			this.reader.fetched(sequence, new byte[0], now);
		}
	}

	private static final class Sink implements RecordSink {

		final List<Long> delivered = new ArrayList<>();

		final List<String> lost = new ArrayList<>();

		final List<Long> missing = new ArrayList<>();

		boolean full;

		boolean permitsLoss = true;

		@Override
		public boolean permitsLoss(int responders, long waited, long now) {
			return this.permitsLoss;
		}

		@Override
		public boolean accept(long sequence, byte[] content) {
			if (!this.full) {
				this.delivered.add(sequence);
			}
			return !this.full;
		}

		@Override
		public void lost(long first, long last) {
			this.lost.add(first + "-" + last);
		}

		@Override
		public void missing(long first) {
			this.missing.add(first);
		}

	}

}
