/**
 * Methods that are called with records:
 * {@link io.statestore.dafka.spring.listener.DafkaListener}. The post-processor finds
 * them, an endpoint is one of them, the registry starts and stops them.
 */
@NullMarked
package io.statestore.dafka.spring.listener;

import org.jspecify.annotations.NullMarked;
