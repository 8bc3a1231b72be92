/**
 * Micrometer meters for Dafka, bound by
 * {@link io.statestore.dafka.spring.metrics.DafkaMetrics}.
 */
@NullMarked
package io.statestore.dafka.spring.metrics;

import org.jspecify.annotations.NullMarked;
