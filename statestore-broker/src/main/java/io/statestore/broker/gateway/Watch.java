package io.statestore.broker.gateway;

import io.statestore.protocol.Bytes;

/**
 * A watched key.
 *
 * @param clientId MQTT client id of the watcher
 * @param key the key
 */
record Watch(String clientId, Bytes key) {
}
