/**
 * The state store's embedded MQTT 5 server. {@code ClientHandler} passes each of a
 * client's packets to the part of its {@code MqttConnection} that handles it: requests go
 * to the store, and ordinary messages and subscriptions to the sessions in the
 * {@code session} package. All outgoing messages go through {@code OutboundFlow}.
 * <p>
 * Internal: not part of the API.
 */
@NullMarked
package io.statestore.broker.mqtt;

import org.jspecify.annotations.NullMarked;
