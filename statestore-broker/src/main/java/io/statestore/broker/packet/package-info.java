/**
 * State store requests and messages as MQTT 5 packets, and the guard that precedes the
 * MQTT decoder. Used by the broker and the gateway.
 * <p>
 * Internal: not part of the API.
 */
@NullMarked
package io.statestore.broker.packet;

import org.jspecify.annotations.NullMarked;
