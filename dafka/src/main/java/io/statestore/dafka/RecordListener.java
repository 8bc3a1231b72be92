package io.statestore.dafka;

import org.slf4j.LoggerFactory;

/**
 * Gets the records of a consumer, on a thread of the consumer, one call at a time. As
 * long as a call lasts nothing more is delivered; what comes meanwhile is kept or fetched
 * later.
 */
@FunctionalInterface
public interface RecordListener {

	/**
	 * Handles a record. It counts as consumed when this method returns or throws an
	 * exception. An {@link Error} stops the consumer before this record; it becomes the
	 * failure of the consumer.
	 * @param record the record
	 * @throws Exception goes to {@link #onError}
	 */
	void onRecord(DafkaRecord record) throws Exception;

	/**
	 * Handles a failure of {@link #onRecord}. Logs it by default; the next record
	 * follows.
	 * @param record the record
	 * @param failure what was thrown. An {@link Error} is the cause of a
	 * {@link DafkaException}, and no record follows
	 */
	default void onError(DafkaRecord record, Exception failure) {
		LoggerFactory.getLogger(RecordListener.class)
			.error("The listener failed with the record at " + record.topic() + '/' + record.partition() + '/'
					+ record.offset(), failure);
	}

	/**
	 * Records are gone before this consumer got them, because retention removed them or
	 * their producer ended before a store had them.
	 * @param partition of which partition
	 * @param first offset of the first
	 * @param count how many
	 */
	default void onLost(TopicPartition partition, long first, long count) {
		LoggerFactory.getLogger(RecordListener.class)
			.warn("{} records of {} from {} are gone", count, partition, first);
	}

}
