/**
 * What every node has: one thread that owns its sockets, beacons, peers, and bounded
 * output.
 */
@NullMarked
package io.statestore.dafka.node;

import org.jspecify.annotations.NullMarked;
