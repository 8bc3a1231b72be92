/**
 * Parts of the state machines of nodes, without sockets and threads: the commands of RFC
 * 46, the reading of partitions without gaps, and answers to requests. Internal: not part
 * of the API.
 */
@NullMarked
package io.statestore.dafka.reading.internal;

import org.jspecify.annotations.NullMarked;
