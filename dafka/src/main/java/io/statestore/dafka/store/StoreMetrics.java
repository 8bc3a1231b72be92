package io.statestore.dafka.store;

import io.statestore.dafka.NodeMetrics;

/**
 * Counters of a store since its start.
 *
 * @param partitions current number of partitions, including those of ended producers
 * @param stored written records
 * @param duplicates repeated records
 * @param lost records declared lost: every node that answered had only later ones, or no
 * node answered for {@code skipTimeout}
 * @param late records that arrived after they were declared lost, which this store does
 * not keep
 * @param stuck current number of partitions whose next record has been missing for
 * {@code lossTimeout}
 * @param refused messages of partitions beyond {@code maxPartitions}
 * @param fetched records sent on request
 * @param bytes current size of all records, in bytes
 * @param node counters of its node
 */
public record StoreMetrics(int partitions, long stored, long duplicates, long lost, long late, int stuck, long refused,
		long fetched, long bytes, NodeMetrics node) {
}
