/**
 * How commands travel over MQTT 5: one supervised connection per application, and
 * request/response on top of it. A second connection serves the MQTT adapters of Spring
 * Integration, if there are any.
 */
@NullMarked
package io.statestore.client.mqtt;

import org.jspecify.annotations.NullMarked;
