/**
 * Requests and messages of the state store as MQTT 5 packets, and the guard in front of
 * the MQTT decoder. Used by the broker and the gateway.
 */
@NullMarked
package io.statestore.broker.packet;

import org.jspecify.annotations.NullMarked;
