package io.statestore.dafka.consumer;

import io.statestore.dafka.NodeMetrics;

/**
 * Counters of a consumer since its start.
 *
 * @param delivered records passed to the listener
 * @param failed delivered records for which the listener threw an exception
 * @param overflows records dropped for lack of room, to be fetched later
 * @param fetches requests for records
 * @param lost records that are lost
 * @param lag known records that the listener has not processed, in all partitions
 * @param stuck partitions whose next record has been missing for {@code lossTimeout}
 * @param partitions number of known partitions
 * @param known number of records known to exist, from the first of each partition on
 * @param refused messages of partitions beyond {@code maxPartitions}
 * @param node counters of its node
 */
public record ConsumerMetrics(long delivered, long failed, long overflows, long fetches, long lost, long lag, int stuck,
		int partitions, long known, long refused, NodeMetrics node) {
}
