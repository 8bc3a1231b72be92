/**
 * Dafka in Spring applications: {@link io.statestore.dafka.spring.DafkaTemplate} sends
 * values. Listeners are in the package {@code listener}.
 */
@NullMarked
package io.statestore.dafka.spring;

import org.jspecify.annotations.NullMarked;
