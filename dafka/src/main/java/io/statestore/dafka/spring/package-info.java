/**
 * Dafka in Spring applications. {@link io.statestore.dafka.spring.DafkaTemplate} sends
 * values; {@link io.statestore.dafka.spring.DafkaListener} methods receive them.
 */
@NullMarked
package io.statestore.dafka.spring;

import org.jspecify.annotations.NullMarked;
