package io.statestore.dafka.cli;

import java.time.Duration;

import io.statestore.dafka.NodeMetrics;
import io.statestore.dafka.cli.EndOfTopics.Verdict;
import io.statestore.dafka.consumer.Completeness;
import io.statestore.dafka.consumer.ConsumerMetrics;
import io.statestore.dafka.consumer.PartitionStatus;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EndOfTopicsTests {

	private final EndOfTopics end = new EndOfTopics(Duration.ofNanos(2), Duration.ofNanos(30), 0);

	private Completeness completeness = Completeness.COMPLETE;

	@Test
	void reachesEndWhenEverythingIsReadAndNothingIsNew() {
		assertThat(at(1, 0)).isEqualTo(Verdict.READING);
		assertThat(at(10, 0, status(0, 9))).isEqualTo(Verdict.READING);
		assertThat(at(20, 10, status(10, 9))).isEqualTo(Verdict.READING);
		assertThat(at(21, 10, status(10, 9))).isEqualTo(Verdict.READING);
		assertThat(at(22, 10, status(10, 9))).isEqualTo(Verdict.REACHED);
	}

	@Test
	void newPartitionDelaysEnd() {
		assertThat(at(1, 10, status(10, 9))).isEqualTo(Verdict.READING);
		assertThat(at(3, 10, status(10, 9), status(1, 0))).isEqualTo(Verdict.READING);
		assertThat(at(4, 10, status(10, 9), status(1, 0))).isEqualTo(Verdict.READING);
		assertThat(at(5, 10, status(10, 9), status(1, 0))).isEqualTo(Verdict.REACHED);
	}

	@Test
	void reportsUnknownTopicAfterTimeout() {
		assertThat(at(29, 0)).isEqualTo(Verdict.READING);
		assertThat(at(30, 0)).isEqualTo(Verdict.NOTHING_KNOWN);
	}

	@Test
	void reportsMissingRecordsAfterTimeoutWithoutProgress() {
		assertThat(at(20, 0, status(0, 9))).isEqualTo(Verdict.READING);
		assertThat(at(49, 1, status(1, 9))).isEqualTo(Verdict.READING);
		assertThat(at(78, 1, status(1, 9))).isEqualTo(Verdict.READING);
		assertThat(at(79, 1, status(1, 9))).isEqualTo(Verdict.STUCK);
	}

	@Test
	void waitsForStoreListingUntilTimeout() {
		this.completeness = Completeness.PENDING;
		assertThat(at(10, 10, status(10, 9))).isEqualTo(Verdict.READING);
		assertThat(at(39, 10, status(10, 9))).isEqualTo(Verdict.READING);
		assertThat(at(40, 10, status(10, 9))).isEqualTo(Verdict.PENDING);
	}

	@Test
	void settlesOnceStoreListingIsComplete() {
		this.completeness = Completeness.PENDING;
		assertThat(at(10, 10, status(10, 9))).isEqualTo(Verdict.READING);
		this.completeness = Completeness.COMPLETE;
		assertThat(at(20, 10, status(10, 9))).isEqualTo(Verdict.READING);
		assertThat(at(22, 10, status(10, 9))).isEqualTo(Verdict.REACHED);
	}

	@Test
	void doesNotClaimEndWhenStoreNeverConfirms() {
		this.completeness = Completeness.UNKNOWN;
		assertThat(at(10, 10, status(10, 9))).isEqualTo(Verdict.READING);
		assertThat(at(12, 10, status(10, 9))).isEqualTo(Verdict.UNKNOWN);
	}

	private Verdict at(long now, long records, PartitionStatus... statuses) {
		long lag = 0;
		long known = 0;
		for (PartitionStatus status : statuses) {
			lag += status.lag();
			known += status.head() + 1;
		}
		return this.end.at(now, new ConsumerMetrics(records, 0, 0, 0, 0, lag, 0, statuses.length, known, 0,
				new NodeMetrics(1, 0, 0, 0, 0)), this.completeness);
	}

	private static PartitionStatus status(long next, long head) {
		return new PartitionStatus(next, head);
	}

}
