/**
 * A connection to an MQTT 5 broker on Netty, shared by the client and the gateway.
 * <p>
 * Internal: applications must not use this package. It may change in any version.
 */
@NullMarked
package io.statestore.mqtt;

import org.jspecify.annotations.NullMarked;
