package io.statestore.client.mqtt.link;

import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

/**
 * Threads and clock that a link uses.
 * <p>
 * Internal: not part of the API.
 *
 * @param threads factory of its network threads
 * @param clock monotonic clock in nanoseconds
 */
public record LinkResources(ThreadFactory threads, LongSupplier clock) {
}
