package io.statestore.dafka.spring;

/**
 * A listener's counters since the start of the application.
 *
 * @param records records processed, including skipped records
 * @param bytes content size of these records, in bytes
 * @param failures failed calls, including retries
 * @param lag known records not yet processed; 0 while the listener is stopped
 * @param fetches requests for missing records
 * @param dropped records dropped for lack of space and fetched later
 * @param lost records lost before they could be processed
 * @param refused messages dropped because of {@code maxPartitions}
 * @param refusedPeers connections closed and messages dropped because a peer violated the
 * transport protocol or exceeded a limit
 * @param peers current number of known nodes
 */
public record DafkaListenerMetrics(long records, long bytes, long failures, long lag, long fetches, long dropped,
		long lost, long refused, long refusedPeers, int peers) {
}
