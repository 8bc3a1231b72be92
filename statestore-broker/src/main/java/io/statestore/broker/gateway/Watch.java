package io.statestore.broker.gateway;

import io.statestore.protocol.Bytes;

/**
 * A client's watch for a key.
 *
 * @param clientId MQTT client id of the watcher
 * @param key the watched key
 */
record Watch(String clientId, Bytes key) {
}
