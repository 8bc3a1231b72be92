/**
 * Reading of partitions: order, gaps, and duplicates. Uses neither sockets nor threads
 * nor a clock. Internal: not part of the API, except for
 * {@link io.statestore.dafka.reading.ReadingOptions}.
 */
@NullMarked
package io.statestore.dafka.reading;

import org.jspecify.annotations.NullMarked;
