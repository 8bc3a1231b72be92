/**
 * Links by Eclipse Paho, with corrections for its socket, its threads, and its logging.
 * Internal: not part of the API.
 */
@NullMarked
package io.statestore.client.mqtt.paho;

import org.jspecify.annotations.NullMarked;
