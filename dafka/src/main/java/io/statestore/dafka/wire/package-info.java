/**
 * The bytes on the wire: the nine commands and the beacons. No sockets, no threads.
 */
@NullMarked
package io.statestore.dafka.wire;

import org.jspecify.annotations.NullMarked;
