/**
 * The embedded MQTT 5 server of the state store. {@code ClientHandler} passes each packet
 * of a client to the part of its {@code MqttConnection} that handles it: requests go to
 * the store, and ordinary messages and subscriptions to the sessions of the package
 * {@code session}. All outgoing messages take their way through {@code OutboundFlow}.
 * <p>
 * Internal: not part of the API.
 */
@NullMarked
package io.statestore.broker.mqtt;

import org.jspecify.annotations.NullMarked;
