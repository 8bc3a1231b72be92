package io.statestore.dafka.spring.listener;

/**
 * Counters of a listener since the start of the application.
 *
 * @param records processed records, including skipped ones
 * @param bytes size of their content
 * @param failures failed calls, including repeated ones
 * @param lag known records that are not processed, 0 while the listener is stopped
 * @param fetches requests for records
 * @param dropped records dropped for lack of room, to be fetched later
 * @param lost lost records
 * @param peers current number of nodes that the consumer knows
 */
public record DafkaListenerMetrics(long records, long bytes, long failures, long lag, long fetches, long dropped,
		long lost, int peers) {
}
