package io.statestore.dafka.spring.listener;

/**
 * What a listener counted since the start of the application.
 *
 * @param records records that it is done with, skipped ones included
 * @param bytes of their content
 * @param failures calls that failed, repeated ones included
 * @param lag records known but not done with, 0 while it is stopped
 * @param fetches requests for records
 * @param dropped records that came before there was room for them, fetched later
 * @param lost records that are gone
 * @param peers how many others its consumer knows now
 */
public record DafkaListenerMetrics(long records, long bytes, long failures, long lag, long fetches, long dropped,
		long lost, int peers) {
}
