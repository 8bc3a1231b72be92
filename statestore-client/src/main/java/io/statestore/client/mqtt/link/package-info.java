/**
 * Seam between the client and the MQTT libraries: one network connection (a link), its
 * options, messages, and failures. The packages of the libraries depend on this one, and
 * so does the client.
 */
@NullMarked
package io.statestore.client.mqtt.link;

import org.jspecify.annotations.NullMarked;
