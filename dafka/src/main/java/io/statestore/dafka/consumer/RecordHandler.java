package io.statestore.dafka.consumer;

import java.util.List;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.TopicPartition;

/**
 * Internal: processes records on the thread of a consumer that is reserved for its
 * listener. Not part of the API; applications implement
 * {@link io.statestore.dafka.RecordListener}.
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
	 * processed ones, except after a seek or a loss.
	 * @param records at least one record; the list is valid during the call only
	 * @return number of records that are processed, from the first on. They count as
	 * consumed. If it is less than the number of records, the consumer stops before the
	 * first unprocessed one
	 * @throws Error stops the consumer before these records and becomes its failure, like
	 * any other exception
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
