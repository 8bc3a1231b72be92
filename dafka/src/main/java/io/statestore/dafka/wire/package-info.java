/**
 * Wire format of Dafka (RFC 46): commands, subscriptions, and beacons. Uses neither
 * sockets nor threads. Internal: not part of the API.
 */
@NullMarked
package io.statestore.dafka.wire;

import org.jspecify.annotations.NullMarked;
