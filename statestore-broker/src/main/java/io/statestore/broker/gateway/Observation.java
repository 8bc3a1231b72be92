package io.statestore.broker.gateway;

import io.statestore.protocol.Bytes;

/**
 * An observed key.
 *
 * @param clientId MQTT client id of the observer
 * @param key the key
 */
record Observation(String clientId, Bytes key) {
}
