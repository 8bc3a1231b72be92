package io.statestore.dafka;

import org.slf4j.LoggerFactory;

/**
 * Listener for a consumer's records. Called on one of the consumer's threads, one call at
 * a time. Records that arrive during a call are kept or fetched later.
 */
@FunctionalInterface
public interface RecordListener {

	/**
	 * Handles a record. It counts as consumed when this method returns or throws an
	 * exception. An {@link Error} stops the consumer and becomes its failure; the record
	 * then does not count as consumed.
	 * @param record the record to handle
	 * @throws Exception if the listener fails; passed to {@link #onError}
	 */
	void onRecord(DafkaRecord record) throws Exception;

	/**
	 * Handles a failure of {@link #onRecord}. The default implementation logs it. The
	 * consumer then continues with the next record, except after an {@link Error}.
	 * @param record the record whose handling failed
	 * @param failure the exception; an {@link Error} is wrapped in a
	 * {@link DafkaException}
	 */
	default void onError(DafkaRecord record, Exception failure) {
		LoggerFactory.getLogger(RecordListener.class)
			.error("The listener failed with the record at " + record.topic() + '/' + record.partition() + '/'
					+ record.offset(), failure);
	}

	/**
	 * Handles lost records: those removed by retention, or whose producer ended before a
	 * store had them. The default implementation logs them.
	 * @param partition partition of the records
	 * @param first offset of the first lost record
	 * @param count number of lost records
	 */
	default void onLost(TopicPartition partition, long first, long count) {
		LoggerFactory.getLogger(RecordListener.class)
			.warn("Lost {} records of {}, from offset {} on", count, partition, first);
	}

}
