package io.statestore.dafka;

import org.slf4j.LoggerFactory;

/**
 * Listener for the records of a consumer. Called on a thread of the consumer, one call at
 * a time. Records that arrive during a call are kept or fetched later.
 */
@FunctionalInterface
public interface RecordListener {

	/**
	 * Handles a record. It counts as consumed when this method returns or throws an
	 * exception. An {@link Error} stops the consumer, becomes its failure, and the record
	 * does not count as consumed.
	 * @param record the record
	 * @throws Exception passed to {@link #onError}
	 */
	void onRecord(DafkaRecord record) throws Exception;

	/**
	 * Handles a failure of {@link #onRecord}, by logging it by default. The consumer then
	 * continues with the next record.
	 * @param record the record
	 * @param failure the exception. An {@link Error} is the cause of a
	 * {@link DafkaException}, and no record follows
	 */
	default void onError(DafkaRecord record, Exception failure) {
		LoggerFactory.getLogger(RecordListener.class)
			.error("The listener failed with the record at " + record.topic() + '/' + record.partition() + '/'
					+ record.offset(), failure);
	}

	/**
	 * Handles lost records, by logging them by default. Retention removed them, or their
	 * producer ended before a store had them.
	 * @param partition partition of the records
	 * @param first offset of the first record
	 * @param count number of records
	 */
	default void onLost(TopicPartition partition, long first, long count) {
		LoggerFactory.getLogger(RecordListener.class)
			.warn("Lost {} records of {}, from offset {} on", count, partition, first);
	}

}
