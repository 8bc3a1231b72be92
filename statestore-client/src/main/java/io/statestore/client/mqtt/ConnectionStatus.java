package io.statestore.client.mqtt;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Status of a connection at one moment, for health checks and meters.
 *
 * @param connected whether there is a connection
 * @param duration time since the connection was established or lost. Before the first
 * connection, time since the connection object was created
 * @param reconnects number of connections after the first one
 * @param problem why there is no connection, and what to do; {@code null} while connected
 */
public record ConnectionStatus(boolean connected, Duration duration, long reconnects, @Nullable String problem) {
}
