package io.statestore.dafka.consumer;

import io.statestore.dafka.NodeMetrics;

/**
 * Counters since a consumer's start.
 *
 * @param delivered records passed to the listener
 * @param failed delivered records for which the listener threw an exception
 * @param overflows records dropped for lack of room, to be fetched later
 * @param fetches requests for missing records
 * @param lost records reported as lost
 * @param lag known records that the listener has not processed, in all partitions
 * @param stuck partitions whose next record has been missing for {@code lossTimeout}
 * @param partitions number of known partitions
 * @param known number of records known to exist, counted from the start of each partition
 * @param refused messages dropped because their partitions exceeded {@code maxPartitions}
 * @param node network counters
 */
public record ConsumerMetrics(long delivered, long failed, long overflows, long fetches, long lost, long lag, int stuck,
		int partitions, long known, long refused, NodeMetrics node) {
}
