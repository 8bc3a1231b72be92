package io.statestore.dafka.store;

import io.statestore.dafka.node.NodeMetrics;

/**
 * What a store counted since it started.
 *
 * @param partitions number of partitions, also of producers that are gone
 * @param stored records it wrote
 * @param duplicates records that came again
 * @param lost records declared lost: every node that answered had only later ones, or no
 * node answered for {@code skipTimeout}
 * @param late records that arrived after they had been declared lost; this store does not
 * have them
 * @param stuck partitions whose next record has been missing for {@code lossTimeout}
 * @param refused messages of partitions beyond {@code maxPartitions}
 * @param fetched records sent on request
 * @param acknowledgements acknowledgments sent
 * @param bytes on the disk, as far as records go
 * @param node what its node counted
 */
public record StoreMetrics(int partitions, long stored, long duplicates, long lost, long late, int stuck, long refused,
		long fetched, long acknowledgements, long bytes, NodeMetrics node) {
}
