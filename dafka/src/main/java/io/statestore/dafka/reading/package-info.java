/**
 * Reading one partition: order, gaps, duplicates. No sockets, no threads, no clock.
 */
@NullMarked
package io.statestore.dafka.reading;

import org.jspecify.annotations.NullMarked;
