/**
 * The state store as a server that knows no particular transport: requests come in and
 * messages go out through {@link io.statestore.broker.server.StateStoreServer} and
 * {@link io.statestore.broker.server.ClientConnection}. The embedded MQTT broker is one
 * home of it.
 */
@NullMarked
package io.statestore.broker.server;

import org.jspecify.annotations.NullMarked;
