/**
 * The state store as a server, independent of the transport. Requests come in and
 * messages go out through {@link io.statestore.broker.server.StateStoreServer} and
 * {@link io.statestore.broker.server.ClientConnection}. The embedded MQTT broker and the
 * gateway are its transports.
 */
@NullMarked
package io.statestore.broker.server;

import org.jspecify.annotations.NullMarked;
