package io.statestore.dafka.producer;

import io.statestore.dafka.NodeMetrics;

/**
 * Counters of a producer since its start.
 *
 * @param sent published records
 * @param acknowledged records that a store has acknowledged
 * @param fetched records sent again on request
 * @param forgotten records evicted without acknowledgment, because half of the memory was
 * used; only with {@link Acknowledge#NONE}
 * @param abandoned records that were not sent, or that consumers still requested, when
 * the producer was closed; only with {@link Acknowledge#NONE}
 * @param pendingBytes current memory of records that wait for acknowledgment or
 * completion, in bytes
 * @param node counters of its node
 */
public record ProducerMetrics(long sent, long acknowledged, long fetched, long forgotten, long abandoned,
		long pendingBytes, NodeMetrics node) {
}
