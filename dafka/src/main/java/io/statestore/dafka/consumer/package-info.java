/**
 * Reads topics: a {@link io.statestore.dafka.consumer.Consumer} passes every record of
 * its topics to a listener, in partition order.
 */
@NullMarked
package io.statestore.dafka.consumer;

import org.jspecify.annotations.NullMarked;
