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
	 * A record. It counts as consumed when this returns or throws.
	 * @throws Exception goes to {@link #onError}
	 */
	void onRecord(DafkaRecord record) throws Exception;

	/** Taking a record failed; by default it is logged, and the next one follows. */
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
