/**
 * Listener methods for records:
 * {@link io.statestore.dafka.spring.listener.DafkaListener}. A post-processor finds the
 * methods, each becomes an endpoint, and a registry starts and stops them.
 */
@NullMarked
package io.statestore.dafka.spring.listener;

import org.jspecify.annotations.NullMarked;
