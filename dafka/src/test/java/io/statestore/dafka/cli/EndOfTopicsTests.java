package io.statestore.dafka.cli;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.cli.EndOfTopics.Verdict;
import io.statestore.dafka.consumer.PartitionStatus;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EndOfTopicsTests {

	private final EndOfTopics end = new EndOfTopics(Duration.ofNanos(2), Duration.ofNanos(30), 0);

	@Test
	void theEndIsReachedWhenAllIsReadAndNothingNewIsTold() {
		assertThat(at(1, 0)).isEqualTo(Verdict.READING);
		assertThat(at(10, 0, status(0, 9))).isEqualTo(Verdict.READING);
		assertThat(at(20, 10, status(10, 9))).isEqualTo(Verdict.READING);
		assertThat(at(21, 10, status(10, 9))).isEqualTo(Verdict.READING);
		assertThat(at(22, 10, status(10, 9))).isEqualTo(Verdict.REACHED);
	}

	@Test
	void anotherPartitionPutsTheEndOff() {
		assertThat(at(1, 10, status(10, 9))).isEqualTo(Verdict.READING);
		assertThat(at(3, 10, status(10, 9), status(1, 0))).isEqualTo(Verdict.READING);
		assertThat(at(4, 10, status(10, 9), status(1, 0))).isEqualTo(Verdict.READING);
		assertThat(at(5, 10, status(10, 9), status(1, 0))).isEqualTo(Verdict.REACHED);
	}

	@Test
	void aTopicOfWhichNobodyTellsIsGivenUpAfterTheTimeout() {
		assertThat(at(29, 0)).isEqualTo(Verdict.READING);
		assertThat(at(30, 0)).isEqualTo(Verdict.NOTHING_KNOWN);
	}

	@Test
	void recordsThatDoNotComeAreGivenUpAfterTheTimeoutWithoutProgress() {
		assertThat(at(20, 0, status(0, 9))).isEqualTo(Verdict.READING);
		assertThat(at(49, 1, status(1, 9))).isEqualTo(Verdict.READING);
		assertThat(at(78, 1, status(1, 9))).isEqualTo(Verdict.READING);
		assertThat(at(79, 1, status(1, 9))).isEqualTo(Verdict.STUCK);
	}

	private Verdict at(long now, long records, PartitionStatus... statuses) {
		Map<TopicPartition, PartitionStatus> partitions = new HashMap<>();
		for (PartitionStatus status : statuses) {
			partitions.put(new TopicPartition("t", "P" + partitions.size()), status);
		}
		return this.end.at(now, records, partitions);
	}

	private static PartitionStatus status(long next, long head) {
		return new PartitionStatus(next, head);
	}

}
