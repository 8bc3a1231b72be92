/**
 * Links by the HiveMQ MQTT client, an optional dependency. Internal: not part of the API.
 */
@NullMarked
package io.statestore.client.mqtt.hivemq;

import org.jspecify.annotations.NullMarked;
