package io.statestore.dafka.producer;

import java.util.List;

import io.statestore.dafka.TopicPartition;

/**
 * Unacknowledged records of a closed producer.
 *
 * @param unacknowledged a range for each topic, empty if all records were acknowledged
 */
public record CloseReport(List<Range> unacknowledged) {

	public CloseReport {
		unacknowledged = List.copyOf(unacknowledged);
	}

	/**
	 * Returns whether all records were acknowledged.
	 * @return {@code true} if {@link #unacknowledged()} is empty
	 */
	public boolean isComplete() {
		return this.unacknowledged.isEmpty();
	}

	/**
	 * Range of records that no store acknowledged.
	 *
	 * @param partition partition of the records
	 * @param first offset of the first unacknowledged record
	 * @param count number of records in the range
	 */
	public record Range(TopicPartition partition, long first, long count) {
	}

}
