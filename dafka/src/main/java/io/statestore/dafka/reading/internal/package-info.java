/**
 * Building blocks for the state machines of nodes, without sockets or threads: the
 * commands of RFC 46, gap-free reading of partitions, and answers to requests. Internal:
 * not part of the API.
 */
@NullMarked
package io.statestore.dafka.reading.internal;

import org.jspecify.annotations.NullMarked;
