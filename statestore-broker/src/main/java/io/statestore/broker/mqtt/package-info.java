/**
 * The embedded MQTT 5 server of the state store. Its channel handlers pass requests to
 * the store, and send replies and notifications. Ordinary messages continue to
 * {@code SessionHandler}, which serves them from the sessions of the package
 * {@code session}.
 * <p>
 * Internal: not part of the API.
 */
@NullMarked
package io.statestore.broker.mqtt;

import org.jspecify.annotations.NullMarked;
