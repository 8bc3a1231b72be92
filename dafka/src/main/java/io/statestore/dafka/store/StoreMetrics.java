package io.statestore.dafka.store;

import io.statestore.dafka.NodeMetrics;

/**
 * Counters since a store's start.
 *
 * @param partitions current number of partitions, including those of ended producers
 * @param stored records written
 * @param duplicates records received more than once
 * @param lost records declared lost: every node that answered had only later records, or
 * no node answered for {@code skipTimeout}
 * @param late records that arrived after they were declared lost; the store does not keep
 * them
 * @param stuck current number of partitions whose next record has been missing for
 * {@code lossTimeout}
 * @param refused messages dropped because their partitions exceeded {@code maxPartitions}
 * @param fetched records sent on request
 * @param bytes current size of all records, in bytes
 * @param node network counters
 */
public record StoreMetrics(int partitions, long stored, long duplicates, long lost, long late, int stuck, long refused,
		long fetched, long bytes, NodeMetrics node) {
}
