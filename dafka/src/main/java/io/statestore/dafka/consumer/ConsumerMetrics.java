package io.statestore.dafka.consumer;

import io.statestore.dafka.node.NodeMetrics;

/**
 * What a consumer counted since it started.
 *
 * @param delivered records given to the listener
 * @param failed of which the listener threw for so many
 * @param duplicates records that came again
 * @param overflows records that came before there was room for them, fetched later
 * @param fetches requests for records
 * @param lost records that are gone
 * @param lag records known but not given to the listener, all partitions together
 * @param stuck partitions of which nobody gives the next record, for {@code lossTimeout}
 * @param partitions number of partitions it heard of
 * @param known number of records known to exist, from the first of each partition on
 * @param refused messages of partitions beyond {@code maxPartitions}
 * @param node what its node counted
 */
public record ConsumerMetrics(long delivered, long failed, long duplicates, long overflows, long fetches, long lost,
		long lag, int stuck, int partitions, long known, long refused, NodeMetrics node) {
}
