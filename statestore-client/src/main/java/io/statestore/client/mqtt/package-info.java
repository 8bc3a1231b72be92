/**
 * Commands over MQTT 5: one supervised connection per application, and requests with
 * replies on top of it.
 */
@NullMarked
package io.statestore.client.mqtt;

import org.jspecify.annotations.NullMarked;
