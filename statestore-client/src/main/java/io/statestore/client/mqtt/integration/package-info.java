/**
 * A client manager for the MQTT adapters of Spring Integration, with an MQTT connection
 * separate from that of the state store client.
 */
@NullMarked
package io.statestore.client.mqtt.integration;

import org.jspecify.annotations.NullMarked;
