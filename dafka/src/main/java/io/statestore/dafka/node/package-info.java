/**
 * Network side of producers, consumers, and stores: sockets, peers, and towers. Internal:
 * not part of the API.
 */
@NullMarked
package io.statestore.dafka.node;

import org.jspecify.annotations.NullMarked;
