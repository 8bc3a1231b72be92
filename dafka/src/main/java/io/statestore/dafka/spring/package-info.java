/**
 * Dafka in Spring applications. {@link io.statestore.dafka.spring.DafkaTemplate} sends
 * values; the package {@code listener} receives them.
 */
@NullMarked
package io.statestore.dafka.spring;

import org.jspecify.annotations.NullMarked;
