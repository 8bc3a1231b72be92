/** What {@link io.statestore.dafka.spring.metrics.DafkaMetrics} tells Micrometer. */
@NullMarked
package io.statestore.dafka.spring.metrics;

import org.jspecify.annotations.NullMarked;
