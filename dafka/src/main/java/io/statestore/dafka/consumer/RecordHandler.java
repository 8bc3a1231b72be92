package io.statestore.dafka.consumer;

import java.util.List;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.TopicPartition;

/**
 * Handler for batches of records, which decides how many of them are consumed. Called on
 * the thread of a consumer. Most applications implement
 * {@link io.statestore.dafka.RecordListener} instead.
 */
public interface RecordHandler {

	/**
	 * Returns the maximum number of records of a call.
	 * @return the number, at least 1
	 */
	int maxRecords();

	/**
	 * Processes the next records, which may belong to several partitions. Calls never
	 * overlap. The records of each partition are in order and directly follow the
	 * processed ones, except after a seek or a loss. An exception or error stops the
	 * consumer before these records, and becomes its failure.
	 * @param records at least one record; the list is valid during the call only
	 * @return number of processed records, from the first on. They count as consumed. If
	 * records are left, the consumer stops before the first of them
	 */
	int handle(List<DafkaRecord> records);

	/**
	 * Called for lost records, after the records before them.
	 * @param partition partition of the records
	 * @param first offset of the first record
	 * @param count number of records
	 */
	void lost(TopicPartition partition, long first, long count);

}
