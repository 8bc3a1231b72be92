package io.statestore.dafka.consumer;

import java.util.List;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.TopicPartition;

/**
 * Handles batches of records and decides how many records are consumed. Called on the
 * consumer's listener thread. Most applications implement
 * {@link io.statestore.dafka.RecordListener} instead.
 */
public interface RecordHandler {

	/**
	 * Returns the maximum number of records per call.
	 * @return the maximum, at least 1
	 */
	int maxRecords();

	/**
	 * Processes the next records, which may belong to several partitions. Calls never
	 * overlap. The records of each partition are in order and directly follow the records
	 * processed before, except after a seek or a loss. An exception or error stops the
	 * consumer before these records and becomes its failure.
	 * @param records at least one record; the list is valid only during the call
	 * @return how many records were processed, counted from the first. These records
	 * count as consumed. If records are left, the consumer stops before them
	 */
	int handle(List<DafkaRecord> records);

	/**
	 * Handles lost records. Called after the records before them were processed.
	 * @param partition partition of the records
	 * @param first offset of the first lost record
	 * @param count number of lost records
	 */
	void lost(TopicPartition partition, long first, long count);

}
