/**
 * The {@link io.statestore.dafka.consumer.Consumer}: every record of its topics once and
 * in the order of its partition.
 */
@NullMarked
package io.statestore.dafka.consumer;

import org.jspecify.annotations.NullMarked;
