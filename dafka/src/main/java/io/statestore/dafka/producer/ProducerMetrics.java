package io.statestore.dafka.producer;

import io.statestore.dafka.node.NodeMetrics;

/**
 * Counters of a producer since its start.
 *
 * @param sent records published
 * @param acknowledged published records that a store acknowledged
 * @param fetched records sent again on request
 * @param forgotten records evicted without acknowledgment, because memory was full; only
 * with {@link Acknowledge#NONE}
 * @param pendingBytes memory of records waiting for acknowledgment or completion
 * @param node what its node counted
 */
public record ProducerMetrics(long sent, long acknowledged, long fetched, long forgotten, long pendingBytes,
		NodeMetrics node) {
}
