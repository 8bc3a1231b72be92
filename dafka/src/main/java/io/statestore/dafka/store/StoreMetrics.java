package io.statestore.dafka.store;

import io.statestore.dafka.node.NodeMetrics;

/**
 * What a store counted since it started.
 *
 * @param partitions number of partitions, including those of ended producers
 * @param stored written records
 * @param duplicates records received more than once
 * @param lost records given up as lost
 * @param stuck partitions whose next record no node has sent for {@code lossTimeout}
 * @param refused messages of partitions beyond {@code maxPartitions}
 * @param fetched records sent on request
 * @param acknowledgements acknowledgments sent
 * @param bytes on the disk, as far as records go
 * @param node what its node counted
 */
public record StoreMetrics(int partitions, long stored, long duplicates, long lost, int stuck, long refused,
		long fetched, long acknowledgements, long bytes, NodeMetrics node) {
}
