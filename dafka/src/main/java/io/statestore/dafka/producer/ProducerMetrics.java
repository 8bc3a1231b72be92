package io.statestore.dafka.producer;

import io.statestore.dafka.NodeMetrics;

/**
 * Counters since a producer's start.
 *
 * @param sent records published
 * @param acknowledged records that a store has acknowledged
 * @param fetched records sent again on request
 * @param forgotten records evicted without acknowledgment, because half of the memory was
 * used; only with {@link Acknowledge#NONE}
 * @param abandoned records that were unsent or still requested by consumers when the
 * producer was closed; only with {@link Acknowledge#NONE}
 * @param pendingBytes memory currently used by records waiting for acknowledgment or
 * completion, in bytes
 * @param node network counters
 */
public record ProducerMetrics(long sent, long acknowledged, long fetched, long forgotten, long abandoned,
		long pendingBytes, NodeMetrics node) {
}
