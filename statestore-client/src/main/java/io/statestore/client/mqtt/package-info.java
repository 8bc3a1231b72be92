/**
 * How commands travel over MQTT 5: one supervised Paho connection per application, and
 * request/response on top of it.
 */
@NullMarked
package io.statestore.client.mqtt;

import org.jspecify.annotations.NullMarked;
