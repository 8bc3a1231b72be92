package io.statestore.dafka.producer;

import java.util.List;

import io.statestore.dafka.TopicPartition;

/**
 * What was not acknowledged when a producer was closed.
 *
 * @param unacknowledged a range for each topic, none if all is well
 */
public record CloseReport(List<Range> unacknowledged) {

	public CloseReport {
		unacknowledged = List.copyOf(unacknowledged);
	}

	/** Whether a store has everything. */
	public boolean isComplete() {
		return this.unacknowledged.isEmpty();
	}

	/**
	 * Records that no store acknowledged.
	 *
	 * @param partition of which topic
	 * @param first offset of the first
	 * @param count how many
	 */
	public record Range(TopicPartition partition, long first, long count) {
	}

}
