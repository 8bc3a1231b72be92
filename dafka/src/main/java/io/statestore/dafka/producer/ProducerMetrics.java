package io.statestore.dafka.producer;

import io.statestore.dafka.node.NodeMetrics;

/**
 * Counters of a producer since its start.
 *
 * @param sent records published
 * @param acknowledged of which a store acknowledged so many
 * @param fetched records sent again to who asked for them
 * @param forgotten records let go of without acknowledgement, because memory was full;
 * only with {@link Acknowledge#NONE}
 * @param abandoned records that were not sent, or that consumers still requested, when
 * the producer was closed; only with {@link Acknowledge#NONE}
 * @param pendingBytes memory held by records that wait for acknowledgement or completion
 * @param node what its node counted
 */
public record ProducerMetrics(long sent, long acknowledged, long fetched, long forgotten, long abandoned,
		long pendingBytes, NodeMetrics node) {
}
