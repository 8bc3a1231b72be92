/**
 * Requests and messages of the state store as MQTT 5 packets, for every home of the
 * server that speaks MQTT itself.
 */
@NullMarked
package io.statestore.broker.packet;

import org.jspecify.annotations.NullMarked;
